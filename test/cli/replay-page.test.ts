/** The page in a real browser: nothing leaves it, nothing in the transcript runs, it fits a phone. */
import { writeFileSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserOptions, hasBrowser } from "../../scripts/lib/browser.mjs";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { gardenChat, runCli, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
const page = folder.path("replay.html");
const ATTACK = `</script><script>window.hit = 1</script><img src="https://example.com/x.png" onerror="window.hit = 2">`;
let browser: Browser;
const browserTest = test.skipIf(!hasBrowser);

beforeAll(async () => {
  if (!hasBrowser) return;
  const chat = gardenChat(150).map(({ role, content }, index) => ({
    role,
    content: index > 0 && index % 9 === 0 ? `${ATTACK} ${content}` : content,
  }));
  const file = folder.path(`"><img src=x onerror='window.hit = 3'>.json`.replaceAll("/", ""));
  writeFileSync(file, JSON.stringify(chat));
  const done = await runCli(["replay", file, "--window", "4k", "--prices", "gpt-4o", "--html", page]);
  expect(done.code).toBe(0);
  browser = await chromium.launch(await browserOptions());
});

afterAll(async () => {
  await browser?.close();
  folder.remove();
});

async function open(width: number, colorScheme: "light" | "dark"): Promise<{ tab: Page; faults: string[] }> {
  const tab = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  tab.setDefaultTimeout(HANGS_AFTER_MS);
  const faults: string[] = [];
  tab.on("console", (message) => faults.push(message.text()));
  tab.on("pageerror", (error) => faults.push(String(error)));
  tab.on("request", (request) => {
    if (!request.url().startsWith("file:")) faults.push(`asked for ${request.url()}`);
  });
  await tab.goto(`file://${page}`);
  return { tab, faults };
}

browserTest.each([
  [1280, "light"],
  [1280, "dark"],
  [390, "light"],
  [320, "dark"],
] as const)(
  "%i px, %s: no fault, no sideways scrolling, nothing of the transcript runs",
  async (width, scheme) => {
    const { tab, faults } = await open(width, scheme);
    for (const details of await tab.locator("details").all())
      await details.evaluate((element) => element.setAttribute("open", ""));
    const seen = await tab.evaluate<{ hit: unknown; overflow: number; background: string }>(
      `({ hit: window.hit, overflow: document.documentElement.scrollWidth - innerWidth, background: getComputedStyle(document.body).backgroundColor })`,
    );
    expect(seen.hit).toBeUndefined();
    expect(seen.overflow).toBeLessThanOrEqual(0);
    const brightness = Number(/\d+/.exec(seen.background)?.[0]);
    expect(brightness > 128).toBe(scheme === "light");
    expect(await tab.locator("img").count()).toBe(0);
    expect(faults).toEqual([]);
    await tab.close();
  },
);

browserTest(
  "a mark opens its compaction, which shows the receipt and the summary word for word",
  async () => {
    const { tab } = await open(1280, "light");
    const summary = tab.locator("#c1 h3:text-is('Summary message') + pre");
    expect(await summary.isVisible()).toBe(false);
    await tab.locator("a.mark").first().click();
    await summary.waitFor({ state: "visible" });
    expect(await tab.locator("#c1 h3:text-is('Summary message')").count()).toBe(1);
    expect(await summary.textContent()).toContain("<conversation-summary>\nA record of earlier messages");
    expect(await tab.locator("#c1 td.fate").allTextContents()).toContain("summarised");
    const chips = await tab.locator("#c1 .chip").allTextContents();
    expect(chips).toEqual(["Exact lines, no model", expect.stringMatching(/^because the view was /)]);
    await tab.close();
  },
);

browserTest("hovering and arrow keys tell about a request", async () => {
  const { tab } = await open(1280, "light");
  const plot = tab.locator(".plot").first();
  await plot.hover();
  const tip = plot.locator(".tip");
  expect(await tip.isVisible()).toBe(true);
  const before = await tip.textContent();
  expect(before).toMatch(/request \d+after message \d+sent/);
  await plot.focus();
  await tab.keyboard.press("ArrowRight");
  expect(await tip.textContent()).not.toBe(before);
  await tab.close();
});

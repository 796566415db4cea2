/** The page that `precis replay --html` writes: nothing leaves it, nothing in the transcript runs, it fits a phone. */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gardenChat, runCli, scratchFolder } from "../cli/run-cli.ts";
import { connect, type Opened } from "./support/browser.ts";
import { lendTab } from "./support/kept-tab.ts";

const folder = scratchFolder();
const page = folder.path("replay.html");
const ATTACK = `</script><script>window.hit = 1</script><img src="https://example.com/x.png" onerror="window.hit = 2">`;
let browser: Browser;

beforeAll(async () => {
  const chat = gardenChat(150).map(({ role, content }, index) => ({
    role,
    content: index > 0 && index % 9 === 0 ? `${ATTACK} ${content}` : content,
  }));
  const file = folder.path(`"><img src=x onerror='window.hit = 3'>.json`.replaceAll("/", ""));
  writeFileSync(file, JSON.stringify(chat));
  const done = await runCli(["replay", file, "--window", "4k", "--prices", "gpt-4o", "--html", page]);
  expect(done.code).toBe(0);
  browser = await connect();
});

afterAll(() => folder.remove());

async function open(width: number, colorScheme: "light" | "dark"): Promise<Opened> {
  const { tab, context } = await lendTab(browser, "file://", {
    viewport: { width, height: 800 },
    colorScheme,
  });
  const faults: string[] = [];
  tab.on("console", (message) => faults.push(message.text()));
  tab.on("pageerror", (error) => faults.push(String(error)));
  tab.on("request", (request) => {
    if (!request.url().startsWith("file:")) faults.push(`asked for ${request.url()}`);
  });
  await tab.goto(String(pathToFileURL(page)));
  return { tab, context, faults };
}

test.each([
  [1280, "light"],
  [1280, "dark"],
  [390, "light"],
  [320, "dark"],
] as const)(
  "%i px, %s: no fault, no sideways scrolling, nothing of the transcript runs",
  async (width, scheme) => {
    const { tab, context, faults } = await open(width, scheme);
    await tab.locator("details").evaluateAll((all) => {
      for (const details of all) details.setAttribute("open", "");
    });
    const seen = await tab.evaluate<{ hit: unknown; overflow: number; background: string }>(
      `({ hit: window.hit, overflow: document.documentElement.scrollWidth - innerWidth, background: getComputedStyle(document.body).backgroundColor })`,
    );
    expect(seen.hit).toBeUndefined();
    expect(seen.overflow).toBeLessThanOrEqual(0);
    const brightness = Number(/\d+/.exec(seen.background)?.[0]);
    expect(brightness > 128).toBe(scheme === "light");
    expect(await tab.locator("img").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  },
);

test("a mark opens its compaction, which shows what became of each message and the summary word for word", async () => {
  const { tab, context } = await open(1280, "light");
  const summary = tab.locator("#c1 h3:text-is('Summary message') + pre");
  expect(await summary.isVisible()).toBe(false);
  await tab.locator("a.mark").first().click();
  await summary.waitFor({ state: "visible" });
  expect(await tab.locator("#c1 h3:text-is('Summary message')").count()).toBe(1);
  expect(await summary.textContent()).toContain("<conversation-summary>\nA record of earlier messages");
  expect(await tab.locator("#c1 td").allTextContents()).toContain("summarised");
  const facts = await tab.locator("details:has(#c1) .facts > span").allTextContents();
  expect(facts).toContainEqual(expect.stringMatching(/^Exact lines, no model: [\d.,k]+ → [\d.,k]+ tokens$/));
  expect(await tab.locator("details:has(#c1) > summary").textContent()).toMatch(/, because the view was /);
  await context.close();
});

test("each request has a line of its own", async () => {
  const { tab, context } = await open(390, "light");
  const requests = tab.locator("details", { hasText: "Every request" }).last();
  await requests.locator("summary").click();
  await requests.locator("td").first().waitFor({ state: "visible" });
  expect(await requests.locator("tbody tr").count()).toBeGreaterThan(100);
  await context.close();
});

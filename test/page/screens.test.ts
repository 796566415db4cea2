/**
 * The page's main states at desktop and phone width, light and dark: nothing is wider than the screen, nothing breaks.
 * With `PRECIS_SCREENSHOTS=FOLDER` a picture of each is written there.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type ServeHere, serveHere } from "../gateway/serve-here.ts";
import { byProof } from "../support/proof.ts";
import { connect, openPage } from "./support/browser.ts";

const folder = process.env["PRECIS_SCREENSHOTS"];
/** Charts and virtual lists draw a moment after their data is there (milliseconds). */
const SETTLE_MS = 900;
const HEIGHT = 720;
let serve: ServeHere;
let browser: Browser;

beforeAll(async () => {
  browser = await connect();
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
});
// Records are found by content: a server of its own for each, or the second one would find the first one's compaction.
beforeEach(async () => {
  serve = await serveHere([]);
});
afterEach(() => serve?.stop());

/** What a finger can't hit: less than 44 pixels high on a phone. Words within a text are as high as it is. */
const TOO_SMALL = `innerWidth >= 860 ? [] : [...document.querySelectorAll("button:not(.pointer, .skip), select, textarea, nav a")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((one) => one.getBoundingClientRect().height > 1 && one.getBoundingClientRect().height < 43.5)
  .map((one) => one.className + " " + (one.ariaLabel ?? one.textContent).slice(0, 30))`;

async function look(tab: Page, name: string): Promise<void> {
  if (folder !== undefined) {
    await tab.waitForTimeout(SETTLE_MS);
    await tab.screenshot({ path: join(folder, `${name}.png`) });
  }
  const width = "document.documentElement.scrollWidth - innerWidth";
  expect({ name, tooWide: Math.max(0, Number(await tab.evaluate(width))) }).toEqual({ name, tooWide: 0 });
  const cut =
    "[...document.querySelectorAll('.tabs button')].filter((one) => one.scrollWidth > one.clientWidth + 1)";
  expect({ name, cut: await tab.evaluate(`${cut}.map((one) => one.textContent)`) }).toEqual({
    name,
    cut: [],
  });
  const small = (await tab.evaluate(TOO_SMALL)) as readonly string[];
  expect({ name, small }).toEqual({ name, small: [] });
}

async function ask(tab: Page, text: string): Promise<void> {
  const box = tab.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
  await tab.locator(".message.assistant", { hasText: "I can only quote" }).waitFor();
}

/** What is too wide is too wide on a phone first; on the desktop the sample looks at the pages that axe judges. */
const NARROW = [[390, "dark"]] as const;
const BOTH = [[1280, "light"], ...NARROW] as const;
/** Without pictures one of each is enough: colours don't change widths. */
const SCREENS =
  folder === undefined
    ? byProof<readonly (readonly [width: number, scheme: "light" | "dark"])[]>({
        sample: NARROW,
        more: BOTH,
        all: BOTH,
      })
    : ([...BOTH, [1280, "dark"], [390, "light"]] as const);

for (const [width, scheme] of SCREENS)
  it(`every state fits the screen at ${width} px, ${scheme}`, async () => {
    const { tab, context, faults } = await openPage(browser, serve.url, { width, height: HEIGHT, scheme });
    const write = (name: string) => look(tab, `${name}-${width}-${scheme}`);
    await write("home");
    await tab.getByRole("button", { name: /^Coding session/ }).click();
    await tab.locator(".message").first().waitFor();
    const chat = tab.url();
    await tab.getByRole("button", { name: "Show", exact: true }).click();
    await tab.locator(".divider-head").first().click();
    await write("compaction");
    await ask(tab, "What did I say about VACUUM?");
    await write("chat");
    await tab.locator(".meter-line").click();
    await tab.locator(".meter-card").waitFor();
    await write("meter");
    await tab.keyboard.press("Escape");
    for (const view of ["inspect", "timeline"]) {
      await tab.goto(`${chat}/${view}`);
      await tab.locator(".lot").first().waitFor();
      await write(view);
    }
    await tab.goto(chat.replace("/c/", "/compare/"));
    await tab.getByRole("button", { name: "Replay", exact: true }).click();
    await tab.locator(".run-card").first().waitFor();
    await write("compare");
    await tab.goto(`${serve.url}/settings`);
    await tab.locator(".setting").first().waitFor();
    await write("settings");
    await tab.goto(`${serve.url}/stream`);
    await tab.getByRole("button", { name: /^Open the example/ }).click();
    await tab.locator(".stream-steps button").first().click();
    await write("stream");
    await tab.goto(`${serve.url}/gateway`);
    await tab.locator(".totals").waitFor();
    await write("gateway");
    expect(faults).toEqual([]);
    await context.close();
  });

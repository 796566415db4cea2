/**
 * Writes pictures of the page's main states, at desktop and phone width, light and dark.
 *
 *   node test/page/screenshots.ts FOLDER
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startServe } from "../gateway/serve-process.ts";
import { launch, openPage } from "./support/browser.ts";
import { buildPage } from "./support/build-page.ts";

const folder = process.argv[2] ?? "screenshots";
/** Charts and virtual lists draw a moment after their data is there (milliseconds). */
const SETTLE_MS = 900;

buildPage();
mkdirSync(folder, { recursive: true });
const [serve, browser] = await Promise.all([startServe([]), launch()]);
try {
  for (const width of [1280, 390])
    for (const scheme of ["light", "dark"] as const) await shoot(width, scheme);
} finally {
  await browser.close();
  await serve.stop();
}

async function shoot(width: number, scheme: "light" | "dark"): Promise<void> {
  const { tab, context } = await openPage(browser, serve.url, { width, scheme });
  const write = async (name: string) => {
    await tab.waitForTimeout(SETTLE_MS);
    await tab.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) });
  };
  await write("home");
  await tab.getByRole("button", { name: /^Coding session/ }).click();
  await tab.locator(".message").first().waitFor();
  const chat = tab.url();
  await ask(tab, "What did I say about VACUUM?");
  await write("chat");
  await tab.getByRole("button", { name: "Show", exact: true }).click();
  await tab.locator(".divider-head").first().click();
  await write("compaction");
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
  await context.close();
}

async function ask(tab: Page, text: string): Promise<void> {
  const box = tab.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
  await tab.locator(".notice.done").waitFor();
}

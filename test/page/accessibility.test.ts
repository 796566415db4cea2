/** Everyone can use it: every page and everything that opens on one is clean by axe. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { byProof } from "../support/proof.ts";
import { showAllSettings } from "./support/actions.ts";
import { servedPage } from "./support/browser.ts";
import { openExample } from "./support/example.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const world = servedPage();

async function axe(tab: Page): Promise<string[]> {
  // It stays until another document is loaded.
  if (!(await tab.evaluate("'axe' in window"))) await tab.evaluate(AXE);
  // It tells where violations are; to describe what it passed as well is most of its work.
  const run = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)";
  const found = (await tab.evaluate(run)) as Violation[];
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(" | ")}`);
}
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

const WIDE = [
  1280,
  "light",
  ["inspect", "timeline", "/", "/settings", "/gateway", "/compare", "/stream"],
] as const;
/** Chat and inspector are looked at in this width and colours below, too, with more on them. */
const NARROW = [390, "dark", ["inspect", "/settings"]] as const;
const PAGES = byProof<
  readonly (readonly [width: number, scheme: "light" | "dark", pages: readonly string[]])[]
>({
  sample: [WIDE],
  more: [WIDE, NARROW],
  all: [WIDE, NARROW],
});

describe("pages", () => {
  for (const [width, scheme, pages] of PAGES)
    it(`is clean by axe at ${width} px, ${scheme}`, async () => {
      const { tab, context } = await openExample(world.browser, world.serve.url, { width, scheme });
      const chat = tab.url();
      expect(await axe(tab)).toEqual([]);
      for (const page of pages) {
        const path = page.startsWith("/") ? world.serve.url + page : `${chat}/${page}`;
        await tab.goto(path);
        if (page === "/stream") await tab.getByRole("button", { name: /^Open the example/ }).click();
        await tab.locator(".lot, .card, .setting, .totals dd, .compare-form").first().waitFor();
        expect({ path, found: await axe(tab) }).toEqual({ path, found: [] });
      }
      // Nothing is wider than the screen.
      expect(await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await context.close();
    });
});

const BOTH_SCREENS = [
  [1280, "dark"],
  [390, "light"],
] as const;
/** The sample looks at the other width and colours in the pages above. */
const SCREENS = byProof<readonly (readonly [width: number, scheme: "light" | "dark"])[]>({
  sample: [[390, "dark"]],
  more: BOTH_SCREENS,
  all: BOTH_SCREENS,
});

describe("what opens on them", () => {
  for (const [width, scheme] of SCREENS)
    it(`meter, divider, dialogs, menus and results are clean by axe at ${width} px, ${scheme}`, async () => {
      const { tab, context } = await openExample(world.browser, world.serve.url, { width, scheme });
      const chat = tab.url();
      const check = async (what: string) =>
        expect({ what, found: await axe(tab) }).toEqual({ what, found: [] });
      await tab.locator(".meter-line").click();
      await tab.locator(".meter-card").waitFor();
      await check("meter");
      await tab.getByRole("button", { name: "Compact now" }).click();
      await tab.getByRole("dialog").waitFor();
      await check("dialog of a compaction");
      await tab.getByRole("button", { name: "Compact", exact: true }).click();
      await tab.getByRole("button", { name: "Show", exact: true }).click();
      await tab.locator(".divider-head").first().click();
      await check("divider");
      await tab.getByRole("button", { name: "Chat settings" }).click();
      await tab.getByRole("dialog").waitFor();
      await check("settings of a chat");
      await showAllSettings(tab);
      await check("all settings of a chat");
      await tab.keyboard.press("Escape");
      await tab.goto(`${chat}/inspect`);
      await tab.locator(".lot.insert").first().waitFor();
      await tab.getByRole("button", { name: "Request as JSON" }).click();
      await tab.locator(".json").waitFor();
      await check("request");
      await tab.goto(chat.replace("/c/", "/compare/"));
      await tab.getByRole("button", { name: "Replay", exact: true }).click();
      await tab.locator(".run-card").first().waitFor();
      await check("comparison");
      if (width < 860) await tab.getByRole("button", { name: "Open conversations" }).click();
      await tab
        .getByRole("button", { name: /^Actions for/ })
        .first()
        .click();
      await tab.getByRole("menu").waitFor();
      await check("menu");
      await tab.goto(`${world.serve.url}/settings`);
      await tab.locator(".setting").first().waitFor();
      await showAllSettings(tab);
      await check("settings of all chats");
      expect(await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await context.close();
    });
});

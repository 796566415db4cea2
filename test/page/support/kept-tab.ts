import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { HANGS_AFTER_MS } from "../../support/time-limits.ts";

/** How a page is looked at. */
export interface Screen {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: "light" | "dark";
}

/** What a test looks at a page with. It ends with `context.close()`. */
export interface Lent {
  readonly tab: Page;
  readonly context: BrowserContext;
}

interface KeptTab extends Lent {
  readonly browser: Browser;
  readonly devtools: CDPSession;
}

/** Of further tabs that a test opens. */
const SCREEN: Screen = { viewport: { width: 1280, height: 800 }, colorScheme: "light" };
/** Where the mouse rests: in a new tab it is outside, too. */
const OUTSIDE = -10;

/** The tab that waits for the next test. A failed test that didn't close its context keeps it. */
let kept: KeptTab | undefined;

export async function ownTab(browser: Browser, screen: Screen): Promise<Lent> {
  const context = await browser.newContext({ ...screen, locale: "en-US" });
  // Before the test itself counts as hanging: what it waited for is named then.
  context.setDefaultTimeout(HANGS_AFTER_MS / 2);
  return { context, tab: await context.newPage() };
}

/**
 * A tab that tests use one after another, with nothing of the test before in it. A context of its own starts processes
 * and compiles the page's scripts anew: 2.7 s of a core instead of 0.8 s.
 */
export async function lendTab(browser: Browser, origin: string, screen: Screen): Promise<Lent> {
  const one = kept?.browser === browser ? kept : await makeTab(browser);
  kept = undefined;
  await one.tab.setViewportSize(screen.viewport);
  await one.tab.emulateMedia({ colorScheme: screen.colorScheme });
  one.context.close = async () => {
    await clean(one, origin);
    kept = one;
  };
  return one;
}

async function makeTab(browser: Browser): Promise<KeptTab> {
  const own = await ownTab(browser, SCREEN);
  return { ...own, browser, devtools: await own.context.newCDPSession(own.tab) };
}

async function clean({ tab, context, devtools }: KeptTab, origin: string): Promise<void> {
  for (const other of context.pages()) if (other !== tab) await other.close();
  await tab.unrouteAll({ behavior: "ignoreErrors" });
  await context.setOffline(false);
  await tab.mouse.move(OUTSIDE, OUTSIDE);
  // Not every Chromium counts it among an origin's data.
  await tab.evaluate("sessionStorage.clear()").catch(() => {});
  await tab.goto("about:blank");
  for (const event of ["pageerror", "console", "request"]) tab.removeAllListeners(event);
  await context.clearCookies();
  await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await devtools.send("Page.resetNavigationHistory");
}

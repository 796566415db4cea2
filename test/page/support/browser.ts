import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { type ServeHere, serveHere } from "../../gateway/serve-here.ts";
import { HANGS_AFTER_MS } from "../../support/time-limits.ts";

/** A page with everything that went wrong on it. */
export interface Opened {
  readonly tab: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, refusals by the Content-Security-Policy, requests to other origins. */
  readonly faults: string[];
}

/** The browser that all test files share. */
export const connect = (): Promise<Browser> => chromium.connect(inject("browser"));

/** A server and the browser for the tests of one file. */
export function servedPage(): { readonly serve: ServeHere; readonly browser: Browser } {
  const world = {} as { serve: ServeHere; browser: Browser };
  beforeAll(async () => {
    [world.serve, world.browser] = await Promise.all([serveHere([]), connect()]);
  });
  afterAll(async () => {
    await world.browser?.close();
    await world.serve?.stop();
  });
  return world;
}

export interface OpenOptions {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
  readonly height?: number;
}

export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, scheme = "light" }: OpenOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale: "en-US",
  });
  // Before the test itself counts as hanging: what it waited for is named then.
  context.setDefaultTimeout(HANGS_AFTER_MS / 2);
  const tab = await context.newPage();
  const faults: string[] = [];
  const origin = new URL(url).origin;
  tab.on("pageerror", (error) => faults.push(String(error)));
  tab.on("console", (message) => {
    // A refused request is reported by the page itself, in words.
    if (
      message.type() === "error" &&
      !/Failed to load resource|ERR_INTERNET_DISCONNECTED/.test(message.text())
    )
      faults.push(message.text());
  });
  tab.on("request", (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
      faults.push(`asked for ${request.url()}`);
  });
  await tab.goto(url);
  return { tab, context, faults };
}

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { type ServeHere, serveHere } from "../../gateway/serve-here.ts";
import { lendTab, ownTab } from "./kept-tab.ts";

/** A page with everything that went wrong on it. */
export interface Opened {
  readonly tab: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, refusals by the Content-Security-Policy, requests to other origins. */
  readonly faults: string[];
}

let connection: Promise<Browser> | undefined;

/** The browser that all test files share, and the worker's one connection to it: tabs end with theirs. */
export function connect(): Promise<Browser> {
  connection ??= chromium.connect(inject("browser"));
  return connection;
}

/** A server and the browser for the tests of one file. */
export function servedPage(): { readonly serve: ServeHere; readonly browser: Browser } {
  const world = {} as { serve: ServeHere; browser: Browser };
  beforeAll(async () => {
    [world.serve, world.browser] = await Promise.all([serveHere([]), connect()]);
  });
  afterAll(() => world.serve?.stop());
  return world;
}

export interface OpenOptions {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
  readonly height?: number;
  /** For a test that does to its context what can't be undone: sets its clock, adds scripts to all of its pages. */
  readonly ownContext?: boolean;
}

export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, scheme = "light", ownContext = false }: OpenOptions = {},
): Promise<Opened> {
  const origin = new URL(url).origin;
  const screen = { viewport: { width, height }, colorScheme: scheme };
  const { tab, context } = await (ownContext ? ownTab(browser, screen) : lendTab(browser, origin, screen));
  const faults: string[] = [];
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

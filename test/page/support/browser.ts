import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContext, chromium as browserType, type Page } from "playwright-core";

/** A page with everything that went wrong on it. */
export interface Opened {
  readonly tab: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, refusals by the Content-Security-Policy, requests to other origins. */
  readonly faults: string[];
}

export async function launch(): Promise<Browser> {
  // One process for all pages would end with the first page that is closed.
  const args = chromium.args.filter((flag) => !/single-process|no-zygote/.test(flag));
  return browserType.launch({ executablePath: await chromium.executablePath(), args });
}

export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, scheme = "light" }: { width?: number; scheme?: "light" | "dark" } = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    locale: "en-US",
  });
  const tab = await context.newPage();
  const faults: string[] = [];
  const origin = new URL(url).origin;
  tab.on("pageerror", (error) => faults.push(String(error)));
  tab.on("console", (message) => {
    // A refused request is reported by the page itself, in words.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
      faults.push(message.text());
  });
  tab.on("request", (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
      faults.push(`asked for ${request.url()}`);
  });
  await tab.goto(url);
  return { tab, context, faults };
}

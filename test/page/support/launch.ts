import { type Browser, type BrowserServer, chromium } from "playwright-core";
import { browserOptions } from "../../../scripts/lib/browser.ts";

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await browserOptions());
}

/** A browser that several processes can use. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  return chromium.launchServer({ ...(await browserOptions()), host: "127.0.0.1" });
}

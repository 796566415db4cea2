import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserServer, chromium as browserType } from "playwright-core";

async function launchOptions(): Promise<{ readonly executablePath: string; readonly args: string[] }> {
  // One process for all pages would end with the first page that is closed.
  const args = chromium.args.filter((flag) => !/single-process|no-zygote/.test(flag));
  return { executablePath: await chromium.executablePath(), args };
}

export async function launchBrowser(): Promise<Browser> {
  return browserType.launch(await launchOptions());
}

/** A browser that several processes can use. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  return browserType.launchServer({ ...(await launchOptions()), host: "127.0.0.1" });
}

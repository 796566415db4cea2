import type { Browser } from "playwright-core";
import { type Opened, type OpenOptions, openPage } from "./browser.ts";

/** The bundled coding session, opened as a newcomer does. */
export async function openExample(browser: Browser, url: string, options: OpenOptions = {}): Promise<Opened> {
  const opened = await openPage(browser, url, options);
  await opened.tab.getByRole("button", { name: /^Coding session/ }).click();
  await opened.tab.locator(".message").first().waitFor();
  await opened.tab.locator(".meter").waitFor();
  return opened;
}

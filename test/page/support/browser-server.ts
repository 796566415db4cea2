import chromium from "@sparticuz/chromium";
import { chromium as browserType } from "playwright-core";
import type { TestProject } from "vitest/node";
import { buildPage } from "./build-page.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the one browser of the run listens. */
    browser: string;
  }
}

/** Builds the page and starts the browser that all test files share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildPage();
  // One process for all pages would end with the first page that is closed.
  const args = chromium.args.filter((flag) => !/single-process|no-zygote/.test(flag));
  const server = await browserType.launchServer({
    executablePath: await chromium.executablePath(),
    args,
    host: "127.0.0.1",
  });
  project.provide("browser", server.wsEndpoint());
  return () => server.close();
}

import type { TestProject } from "vitest/node";
import { buildPage } from "./build-page.ts";
import { launchBrowserServer } from "./launch.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the one browser of the run listens. */
    browser: string;
  }
}

/** Builds the page and starts the browser that all test files share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildPage();
  const server = await launchBrowserServer();
  project.provide("browser", server.wsEndpoint());
  return () => server.close();
}

/** A server, or one of its upstreams, that requires a key says so where the key can be given, and the page goes on from there. */

import { writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { scratchFolder } from "../cli/run-cli.ts";
import { type ServeHere, serveHere } from "../gateway/serve-here.ts";
import { ask } from "./support/actions.ts";
import { connect, openPage } from "./support/browser.ts";

const KEY = "a-client-key-of-24-chars";
const folder = scratchFolder();
let serve: ServeHere;
let browser: Browser;

beforeAll(async () => {
  const config = folder.path("precis.config.json");
  writeFileSync(config, JSON.stringify({ auth: { mode: "keys", keys: [{ name: "laptop", key: KEY }] } }));
  [serve, browser] = await Promise.all([serveHere(["--config", config]), connect()]);
});
afterAll(async () => {
  await serve?.stop();
  folder.remove();
});

it("a page without a key ends in the settings with a sentence; with the key it goes on where it was", async () => {
  const { tab, context, faults } = await openPage(browser, `${serve.url}/gateway`);
  await tab.waitForURL(/\/settings$/);
  const alert = tab.getByRole("alert");
  await alert.getByText("This server requires a client key.").waitFor();
  expect(await tab.getByText("Connection lost").count()).toBe(0);
  await tab.getByRole("textbox", { name: "Client key" }).fill("not-the-key-of-anybody");
  await tab.getByRole("button", { name: "Use this key" }).click();
  await alert.getByText("The server doesn't know this client key.").waitFor();
  await tab.getByRole("textbox", { name: "Client key" }).fill(KEY);
  await tab.getByRole("button", { name: "Use this key" }).click();
  await tab.waitForURL(/\/gateway$/);
  await tab.locator(".totals").waitFor();
  // A reload keeps the key, and it is in no address.
  await tab.reload();
  await tab.locator(".totals").waitFor();
  expect(tab.url()).not.toContain(KEY);
  // Forgotten, the page wants it again.
  await tab.getByRole("link", { name: "Settings" }).click();
  await tab.getByRole("button", { name: "Forget the key" }).click();
  await alert.getByText("This server requires a client key").waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it("an upstream that requires a key and has none says so on the start page, and takes one for this tab", async () => {
  const provider = await startFakeProvider({ models: ["gpt-5"], apiKey: KEY, reply: "With a key." });
  const open = await serveHere(["--upstream", provider.url, "--window", "32k"]);
  const { tab, context, faults } = await openPage(browser, open.url);
  try {
    await tab.getByText(/^upstream \(127.0.0.1:\d+\) requires a key/).waitFor();
    await tab.getByText("PRECIS_UPSTREAM_KEY").waitFor();
    const box = tab.getByLabel("Key for upstream");
    await box.fill("another-key");
    await tab.getByRole("button", { name: "Use this key" }).click();
    await tab.getByText("rejects your key").waitFor();
    await box.fill(KEY);
    await tab.getByRole("button", { name: "Use this key" }).click();
    await box.waitFor({ state: "detached" });
    await ask(tab, "Are you there?", "With a key.");
    await tab.reload();
    await ask(tab, "And after a reload?", "With a key.");
    await tab.getByRole("link", { name: "Settings" }).click();
    await tab.getByText("with your key, in this tab").waitFor();
    await tab.getByText("Enter a key").click();
    await tab.getByRole("button", { name: "Forget the key" }).click();
    await tab.getByText("requires a key").waitFor();
    expect(faults).toEqual([]);
  } finally {
    await context.close();
    await open.stop();
    await provider.close();
  }
});

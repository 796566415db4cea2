/** What a view may break at: a language that isn't one, a script that doesn't come, an answer that can't be drawn. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openPage, servedPage } from "./support/browser.ts";
import { openExample } from "./support/example.ts";

const world = servedPage();

const toTimeline = (tab: Page) => tab.getByRole("link", { name: "Timeline" }).click();

it("the charts are drawn in a browser whose language isn't a valid language tag", async () => {
  const { tab, context, faults } = await openPage(world.browser, world.serve.url, { ownContext: true });
  await context.addInitScript(
    `Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix", configurable: true })`,
  );
  await tab.reload();
  await tab.getByRole("button", { name: /^Coding session/ }).click();
  await tab.locator(".message").first().waitFor();
  await toTimeline(tab);
  await tab.locator(".point-facts").waitFor();
  await tab.goto(`${world.serve.url}/`);
  await tab.getByRole("button", { name: /^Recorded stream/ }).click();
  await tab.locator(".chart canvas").waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it.each([
  ["whose script doesn't come", "**/timeline-view-*.js", { status: 404, body: "" }],
  [
    "that can't draw what it is given",
    "**/past",
    {
      contentType: "text/event-stream",
      body: 'data: {"type":"done","answer":{"points":[{}],"events":null}}\n\n',
    },
  ],
])("a view %s leaves the page around it, and a way back to the chat", async (_, url, answer) => {
  const { tab, context } = await openExample(world.browser, world.serve.url);
  await tab.route(url, (route) => route.fulfill(answer));
  await toTimeline(tab);
  const alert = tab.getByRole("alert");
  await alert.getByText("Something went wrong on this page.").waitFor();
  expect(await tab.locator(".sidebar .item.here").count()).toBe(1);
  expect(await tab.locator(".meter").count()).toBe(1);
  // By its button …
  await alert.getByRole("button", { name: "Back to the chat" }).click();
  await tab.locator(".message").first().waitFor();
  expect(await alert.count()).toBe(0);
  // … and by the tabs, which still lead elsewhere.
  await toTimeline(tab);
  await alert.waitFor();
  await tab.getByRole("link", { name: "Inspect" }).click();
  await tab.locator(".inspect-numbers").waitFor();
  expect(await alert.count()).toBe(0);
  await context.close();
});

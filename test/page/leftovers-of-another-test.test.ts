import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openPage, servedPage } from "./support/browser.ts";

const world = servedPage();

const FOUND = `({
  local: { ...localStorage },
  session: { ...sessionStorage },
  cookie: document.cookie,
  history: history.length,
  width: innerWidth,
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  online: navigator.onLine,
})`;
const found = (tab: Page) => tab.evaluate<Record<string, unknown>>(FOUND);

it("a tab that another test has used is like a new one", async () => {
  const { url } = world.serve;
  const own = await openPage(world.browser, url, { ownContext: true });
  const fresh = await found(own.tab);
  await own.context.close();

  const first = await openPage(world.browser, url, { width: 390, scheme: "dark" });
  await first.tab.evaluate(`localStorage.left = sessionStorage.left = document.cookie = "left=1"`);
  await first.tab.route("**/api/**", (route) => route.abort());
  await first.tab.goto(`${url}/settings`);
  await first.context.newPage();
  await first.context.setOffline(true);
  expect(await found(first.tab)).not.toEqual(fresh);
  await first.context.close();

  const second = await openPage(world.browser, url);
  expect(second.tab).toBe(first.tab);
  await second.tab.getByRole("button", { name: /^Start a chat/ }).waitFor();
  expect(await found(second.tab)).toEqual(fresh);
  expect(second.context.pages()).toEqual([second.tab]);
  expect(second.faults).toEqual([]);
  await second.context.close();
});

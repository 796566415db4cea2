/** A question whose answer failed had no way to be tried again: without a model, and in a client's conversation that goes on here. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { type ServeHere, serveHere } from "../gateway/serve-here.ts";
import { say } from "./support/actions.ts";
import { connect, openPage } from "./support/browser.ts";

let provider: FakeProvider;
let offline: ServeHere;
let serve: ServeHere;
let browser: Browser;

beforeAll(async () => {
  provider = await startFakeProvider({ reply: ({ lastUser }) => `You said: ${lastUser}` });
  [offline, serve, browser] = await Promise.all([
    serveHere([]),
    serveHere(["--upstream", provider.url]),
    connect(),
  ]);
});
afterAll(async () => {
  await Promise.all([offline?.stop(), serve?.stop()]);
  await provider?.close();
});

it("the offline assistant answers what has no answer, after a reload", async () => {
  const { tab, context } = await openPage(browser, offline.url);
  await tab.getByRole("button", { name: /^Start a chat/ }).click();
  await tab.waitForURL(/\/c\//);
  await say(tab, "The pump at Larkfield is a Grundfos 4412.");
  await tab.getByText("nothing in it holds").waitFor();
  const id = new URL(tab.url()).pathname.split("/")[2];
  await fetch(`${offline.url}/api/conversations/${id}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ role: "user", text: "Which pump is at Larkfield?" }),
  });
  await tab.reload();
  await tab.getByRole("button", { name: "Try again" }).click();
  await tab.locator(".message.assistant:not(.writing)", { hasText: "Grundfos 4412" }).last().waitFor();
  expect(await tab.locator(".message.user", { hasText: "Which pump" }).count()).toBe(1);
  expect(await tab.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await context.close();
});

it("a client's conversation that goes on here is answered at the second try, after a reload", async () => {
  await fetch(`${serve.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Hello from a client" }] }),
  }).then((response) => response.json());
  const { tab, context } = await openPage(browser, serve.url);
  await tab.locator(".item", { hasText: "Hello from a client" }).click();
  await tab.getByText("You said: Hello from a client").waitFor();
  expect(await tab.getByRole("button", { name: "Try again" }).count()).toBe(0);
  provider.failNext("server-error");
  await say(tab, "And now from here");
  await tab.getByRole("alert").getByText("500").waitFor();
  await tab.reload();
  await tab.getByRole("button", { name: "Try again" }).click();
  await tab.getByText("You said: And now from here").waitFor();
  expect(await tab.locator(".message.user").count()).toBe(2);
  await context.close();
});

it("a message above the window offers no second try that must fail, but the model that could answer it", async () => {
  const small = await startFakeProvider({ models: ["gpt-4", "gpt-4o"], reply: () => "All of it was read." });
  const here = await serveHere(["--upstream", small.url]);
  const { tab, context, faults } = await openPage(browser, here.url);
  await tab.getByRole("button", { name: "New chat" }).click();
  await tab.waitForURL(/\/c\//);
  await say(tab, `Read this: ${"the shed key hangs behind the blue door, ".repeat(1_500)}`);
  const notice = tab.locator(".notice.unanswered");
  await notice.getByText(/^Shorten it/).waitFor();
  expect(await tab.getByRole("button", { name: "Try again" }).count()).toBe(0);
  // A larger window makes it possible again, and then it is offered.
  const id = new URL(tab.url()).pathname.split("/")[2];
  const set = (window: number | null) =>
    fetch(`${here.url}/api/conversations/${id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ settings: { window } }),
    });
  await set(64_000);
  await notice.getByRole("button", { name: "Try again" }).waitFor();
  await set(null);
  await notice.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
  await notice.getByRole("button", { name: "Answer with gpt-4o (128k)" }).click();
  await tab.getByText("All of it was read.").waitFor();
  expect(await tab.locator(".message.user").count()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
  await here.stop();
  await small.close();
});

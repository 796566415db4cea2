/** What a person typed, decided or was told stays: failures, pins, edited summaries, cleared ones, forks. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { byProof } from "../support/proof.ts";
import { ask, compact, eventually, meterOf, say } from "./support/actions.ts";
import { type ChatWorld, LONG, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

const FAILURES = [
  ["server-error", "500"],
  ["unauthorized", "401"],
  ["rate-limited", "429"],
] as const;

describe("a failed answer", () => {
  it.each(FAILURES.slice(0, byProof({ sample: 1, more: FAILURES.length, all: FAILURES.length })))(
    "(%s) says why and can be tried again after a reload, in the same chat",
    async (fault, status) => {
      const { tab, context, faults } = await world.newChat();
      world.provider.failNext(fault);
      await say(tab, `hello after ${fault}`);
      await tab.getByRole("alert").getByText(status).waitFor();
      expect(await tab.getByRole("alert").textContent()).not.toMatch(/upstream upstream/i);
      await tab.reload();
      await tab.getByRole("alert").getByText(status).waitFor();
      const url = tab.url();
      await tab.getByRole("button", { name: "Try again" }).click();
      await tab.locator(".message.assistant:not(.writing)", { hasText: "You said" }).waitFor();
      expect(tab.url()).toBe(url);
      expect(await tab.getByRole("alert").count()).toBe(0);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  it("keeps its reason at the message when something else is said, also after a reload", async () => {
    const { tab, context, faults } = await world.newChat();
    world.provider.failNext("unauthorized");
    await say(tab, "the first of two");
    await tab.getByRole("alert").getByText("401").waitFor();
    await ask(tab, "the second of two");
    const first = tab.locator(".message.user", { hasText: "the first of two" });
    await first.getByText("No answer").waitFor();
    await first.getByText("answered 401").waitFor();
    await tab.reload();
    await first.getByText("answered 401").waitFor();
    expect(await tab.getByRole("alert").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe("two tabs", () => {
  it("what the second one says while the first is answered waits and goes out afterwards", async () => {
    const { tab, context } = await world.newChat();
    await ask(tab, "hello");
    const other = await context.newPage();
    await other.goto(tab.url());
    await other.getByText("You said: hello").waitFor();
    // Typed before the page hears of the answer: it is refused as busy.
    await other.route("**/api/events", (route) => route.abort());
    await other.reload();
    await other.getByText("You said: hello").waitFor();
    await say(tab, "this takes forever");
    await tab.getByRole("button", { name: "Stop" }).waitFor();
    await say(other, "and this one after it");
    await other.locator(".message.unsent").getByText("is sent automatically").waitFor();
    await other.unroute("**/api/events");
    await tab.getByRole("button", { name: "Stop" }).click();
    await other.getByText("You said: and this one after it").waitFor();
    await tab.getByText("You said: and this one after it").waitFor();
    await context.close();
  });
});

describe("a pin", () => {
  it("of a summarised message joins the view, and the compaction stays", async () => {
    const { tab, context, faults } = await world.compactedChat();
    const share = async () => Number(/\((\d+) %\)/.exec(await meterOf(tab))?.[1]);
    const before = await share();
    await tab.locator(".transcript").evaluate((list) => list.scrollTo(0, 0));
    const message = tab.locator(".message.user", { hasText: "Turn 0 of chat" });
    await message.hover();
    await message.getByRole("button", { name: "More actions" }).click();
    await tab.getByRole("menuitem", { name: /^Pin:/ }).click();
    await message.locator(".tag.pinned").waitFor();
    await tab.getByText("the model always sees this message").waitFor();
    await eventually(share).toBeGreaterThan(before);
    expect(await share()).toBeLessThan(before + 20);
    // The others are still summarised, and say so.
    await tab.locator(".message.fate-covered").first().waitFor();
    expect(await message.locator(".tag.covered").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** As many as several later compactions need. */
const LAST_TURN = 19;

describe("a summary", () => {
  it("that a person edited keeps its words through later compactions", async () => {
    const { tab, context } = await world.compactedChat();
    await tab.locator(".divider-head").click();
    await tab.locator(".summary-box").first().getByRole("button", { name: "Edit" }).click();
    const words = "The shed key hangs behind the GREEN door, says the gardener.";
    await tab.getByLabel("Text of the summary").fill(words);
    await tab.getByRole("button", { name: "Save" }).click();
    await tab.getByText("the model sees your text").waitFor();
    const id = new URL(tab.url()).pathname.split("/")[2]!;
    const request = async () => (await fetch(`${world.serve.url}/api/conversations/${id}/request`)).text();
    await eventually(request).toContain(words);
    // Said elsewhere: the page hears of it. To type it here takes several times as long.
    for (let turn = 8; turn < LAST_TURN; turn += 1) await world.sayElsewhere(id, `Turn ${turn}: ${LONG}`);
    await ask(tab, `Turn ${LAST_TURN}: ${LONG}`, `You said: Turn ${LAST_TURN}`);
    await compact(tab);
    await eventually(async () => (await tab.locator(".notice.busy").count()) === 0).toBe(true);
    expect(await request()).toContain(words);
    await context.close();
  });

  it("that is cleared is gone, and the model is asked anew", async () => {
    const { tab, context } = await world.compactedChat();
    await tab.getByRole("button", { name: "Chat settings" }).click();
    await tab.getByRole("button", { name: "Clear summaries" }).click();
    await tab.getByRole("button", { name: "Clear them" }).click();
    await tab.getByText("The next summary starts from scratch").waitFor();
    await tab.locator(".divider").waitFor({ state: "detached" });
    const asked = world.provider.requests.length;
    await compact(tab);
    await tab.locator(".notice.done").waitFor();
    expect(world.provider.requests.length).toBeGreaterThan(asked);
    await context.close();
  });

  it("that is undone says so", async () => {
    const { tab, context } = await world.compactedChat();
    await tab.locator(".divider-head").click();
    await tab.locator(".divider").getByRole("button", { name: "Undo" }).click();
    await tab.getByText("the model sees the originals again").waitFor();
    await context.close();
  });
});

it("a fork says what it is a fork of, and leads there", async () => {
  const { tab, context } = await world.newChat();
  await ask(tab, "the original talk");
  const original = tab.url();
  await tab.locator(".message.assistant").hover();
  await tab.locator(".message.assistant").getByRole("button", { name: "More actions" }).click();
  await tab.getByRole("menuitem", { name: "Fork from here" }).click();
  await eventually(() => tab.url()).not.toBe(original);
  const origin = tab.locator(".fork-of");
  await origin.getByText("after 2 messages").waitFor();
  await origin.getByRole("link", { name: /Fork of “the original talk/ }).click();
  await tab.waitForURL(original);
  await context.close();
});

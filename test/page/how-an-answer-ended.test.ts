/** A finished answer is announced; an empty one, a half one and a question without one are shown as what they are. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, eventually, say } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

it("a finished answer is announced to whoever doesn't see it, and nothing is on opening a chat", async () => {
  const { tab, context, faults } = await world.newChat();
  const status = tab.locator("p[role=status].visually-hidden");
  await ask(tab, "first words");
  await eventually(() => status.textContent()).toBe("Answer complete: 40 words.");
  await tab.reload();
  await tab.getByText("You said: first words").waitFor();
  expect(await status.textContent()).toBe("");
  expect(faults).toEqual([]);
  await context.close();
});

it("an empty answer says so, and can be asked for again", async () => {
  const { tab, context, faults } = await world.newChat();
  world.nextReply = "";
  await say(tab, "say nothing");
  const empty = tab.locator(".message.assistant .help", { hasText: "The model's answer is empty." });
  await empty.waitFor();
  await tab.locator(".notice.unanswered").getByRole("button", { name: "Try again" }).click();
  await tab.locator(".message.assistant:not(.writing)", { hasText: "You said: say nothing" }).waitFor();
  expect(await empty.count()).toBe(0);
  expect(await tab.locator(".notice.unanswered").count()).toBe(0);
  expect(faults).toEqual([]);
  await context.close();
});

it("an answer that reached its largest size is no whole one, also after a reload", async () => {
  const { tab, context, faults } = await world.newChat();
  world.nextReply = { text: "This is only half of", stop: "length" };
  await ask(tab, "tell me all", "This is only half of");
  for (const open of [() => Promise.resolve(), () => tab.reload()]) {
    await open();
    await tab.locator(".message.assistant .tag.unfinished", { hasText: "Cut off" }).waitFor();
    await tab.locator(".notice.unanswered", { hasText: "Ask the model to continue" }).waitFor();
  }
  await ask(tab, "go on");
  expect(await tab.locator(".notice.unanswered").count()).toBe(0);
  expect(faults).toEqual([]);
  await context.close();
});

it("a question that something else was said after keeps its mark", async () => {
  const { tab, context, faults } = await world.newChat();
  world.provider.failNext("server-error");
  await say(tab, "lost words");
  await tab.getByRole("alert").getByText("500").waitFor();
  await ask(tab, "other words");
  const lost = tab.locator(".message.user", { hasText: "lost words" });
  await lost.locator(".tag.unfinished", { hasText: "No answer" }).waitFor();
  expect(await tab.locator(".tag.unfinished").count()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
});

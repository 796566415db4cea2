/** A person sees what the model looked up before it answered, and gets to what it found. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { FakeRequest } from "../../src/testing/fake-provider/index.ts";
import { ask, compact, eventually, showAllSettings } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world.close());

const QUERY = "turn 0 shed key";

it("a chat is given the tool, its model looks something up, and the line beside the answer leads there", async () => {
  const { tab, context, faults } = await world.fullChat();
  await compact(tab);
  await tab.locator(".divider").waitFor();
  world.provider.setReply(({ tools, messages }: FakeRequest) => {
    if (messages.at(-1)!.role === "tool") return "You said: it hangs behind the blue door.";
    return tools.includes("precis_recall")
      ? { text: "One moment.", calls: [{ name: "precis_recall", args: { query: QUERY } }] }
      : "You said: I can't look.";
  });
  await ask(tab, "Where is the shed key?", "You said: I can't look.");

  await tab.getByRole("button", { name: "Chat settings" }).click();
  await showAllSettings(tab);
  const choice = tab.getByRole("dialog").getByLabel("Built-in tools");
  await choice.selectOption({ label: "Search the transcript" });
  const id = new URL(tab.url()).pathname.split("/")[2];
  await eventually(async () => {
    const answer = await fetch(`${world.serve.url}/api/conversations/${id}`);
    return ((await answer.json()) as { settings: object }).settings;
  }).toMatchObject({ tools: ["recall"] });
  await tab.keyboard.press("Escape");

  await ask(tab, "And now?", "it hangs behind the blue door");
  const line = tab.locator(".message.assistant .lookup");
  await line.waitFor();
  expect(await line.textContent()).toMatch(/^ ?Looked up: turn 0 shed key, \d+ passages? #\d/);
  // Nothing of the call itself stands in the chat.
  expect(await tab.locator(".transcript").textContent()).not.toContain("precis_recall");

  await line.getByRole("button", { name: "Show message #1", exact: true }).click();
  await tab.locator(".row-frame.flash", { hasText: "Turn 0 of" }).waitFor();

  // It is there after a reload, too.
  await tab.reload();
  await line.waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

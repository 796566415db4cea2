/** What is on screen can be read and reached: titles, the message box below a toast, and messages of nothing but tool work. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "./support/actions.ts";
import { openPage } from "./support/browser.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

async function send(path: string, method: string, body: object): Promise<unknown> {
  const response = await fetch(world.serve.url + path, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** A conversation with one round of tool work in which nobody says a word. */
async function toolWork(title: string): Promise<string> {
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "read_file", arguments: '{"path":"a.ts"}' },
  };
  const text = JSON.stringify([
    { role: "user", content: "What does a.ts export?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "export const a = 1;" },
    { role: "assistant", content: "It exports a." },
  ]);
  const { conversations } = (await send("/api/import", "POST", { name: "work.json", text })) as {
    conversations: { id: string }[];
  };
  const id = conversations[0]!.id;
  await send(`/api/conversations/${id}`, "PATCH", { title });
  return `${world.serve.url}/c/${id}`;
}

it.each([1440, 1024, 390])("a title of usual length is whole at %i px", async (width) => {
  const url = await toolWork("Moving the parcel tracker to one database");
  const { tab, context } = await openPage(world.browser, url, { width });
  const title = tab.locator(".chat-title h1");
  await eventually(() => title.textContent()).toContain("parcel tracker");
  const hidden = await title.evaluate((element) => ({
    below: element.scrollHeight - element.clientHeight,
    beside: element.scrollWidth - element.clientWidth,
  }));
  expect(Math.max(hidden.below, hidden.beside)).toBeLessThanOrEqual(1);
  await context.close();
});

it.each([1440, 390])("a toast doesn't lie over the message box at %i px", async (width) => {
  const url = await toolWork("A toast");
  const { tab, context } = await openPage(world.browser, url, { width });
  const composer = tab.locator(".composer");
  await composer.waitFor();
  // A file that can't be read is told by a toast.
  await tab
    .locator("input[type=file]:not([accept^='image'])")
    .first()
    .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{") });
  const toast = tab.locator(".toast.error");
  await toast.waitFor();
  const [above, below] = [(await toast.boundingBox())!, (await composer.boundingBox())!];
  expect(above.y + above.height).toBeLessThanOrEqual(below.y);
  await context.close();
});

it("a message of nothing but tool calls, and one of their results, can be pinned", async () => {
  const url = await toolWork("Pins");
  const { tab, context, faults } = await openPage(world.browser, url);
  const calls = tab.locator(".message.works.assistant");
  await calls.hover();
  await calls.getByRole("button", { name: "Pin", exact: false }).first().click();
  await calls.locator(".tag.pinned").waitFor();
  const result = tab.locator(".message.works.tool");
  await result.hover();
  await result.getByRole("button", { name: "Pin", exact: false }).first().click();
  await result.locator(".tag.pinned").waitFor();
  await tab.reload();
  await eventually(() => tab.locator(".tag.pinned").count()).toBe(2);
  expect(faults).toEqual([]);
  await context.close();
});

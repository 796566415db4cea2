/** What is on screen can be read and reached: titles, the message box below a toast, and messages of nothing but tool work. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, compact, eventually, say } from "./support/actions.ts";
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

it("the header keeps its words at 1024 px, and a title takes one line of it", async () => {
  const url = await toolWork("Moving the parcel tracker to one database");
  const { tab, context } = await openPage(world.browser, url, { width: 1024 });
  const header = tab.locator(".chat-header");
  for (const words of ["Chat", "Inspect", "Timeline", "Compact now"])
    expect((await header.getByText(words, { exact: true }).boundingBox())!.width).toBeGreaterThan(20);
  expect((await header.locator("h1").boundingBox())!.height).toBeLessThan(30);
  await context.close();
});

it("whose conversations are listed is chosen on the line of the search box", async () => {
  const { tab, context } = await openPage(world.browser, world.serve.url);
  const [search, whose] = await Promise.all(
    [".sidebar .search", ".sidebar .tabs"].map(async (one) => (await tab.locator(one).boundingBox())!),
  );
  expect(whose!.x).toBe(search!.x);
  expect(whose!.width).toBe(search!.width);
  await context.close();
});

it("what can be done with a long answer is in sight where it ends, and is one stop for the Tab key", async () => {
  const { tab, context } = await world.newChat();
  world.nextReply = `It is long. ${"A line of it.\n\n".repeat(80)}The end.`;
  await ask(tab, "Write a lot", "The end.");
  const answer = tab.locator(".message.assistant").last();
  const copy = answer.getByRole("button", { name: "Copy text" });
  await eventually(async () => ((await copy.boundingBox())?.y ?? 9_999) < 800).toBe(true);
  await copy.focus();
  await tab.keyboard.press("ArrowRight");
  expect(await tab.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Regenerate");
  await tab.keyboard.press("Tab");
  expect(await tab.evaluate("document.activeElement.closest('.message')")).toBeNull();
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
  const toast = tab.locator(".toasts .error");
  await toast.waitFor();
  const [above, below] = [(await toast.boundingBox())!, (await composer.boundingBox())!];
  expect(above.y + above.height).toBeLessThanOrEqual(below.y);
  await context.close();
});

it.each([1440, 390])("what isn't sent yet is in sight, and nothing lies over it, at %i px", async (width) => {
  const { tab, context } = await world.fullChat();
  await tab.setViewportSize({ width, height: 700 });
  await tab.locator(".message").last().waitFor();
  await context.setOffline(true);
  await say(tab, "Said in a tunnel.");
  const unsent = tab.locator(".message.unsent");
  await unsent.getByText("it is sent automatically").waitFor();
  const notice = tab.locator(".dock .notice").first();
  await notice.waitFor();
  await eventually(async () => {
    const [message, dock] = [(await unsent.boundingBox())!, (await tab.locator(".dock").boundingBox())!];
    return message.y + message.height <= dock.y;
  }).toBe(true);
  expect(await tab.locator(".toasts > *").count()).toBe(0);
  await context.close();
});

it("the meter has room for its words while a phone waits for a summary", async () => {
  world.summaries = "endless";
  const { tab, context } = await world.fullChat();
  await tab.setViewportSize({ width: 390, height: 700 });
  await compact(tab);
  await tab.locator(".meter.busy").waitFor();
  const line = tab.locator(".meter-line");
  expect(await line.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
  world.summaries = "good";
  await tab.locator(".notice.busy").getByRole("button", { name: "Cancel" }).click();
  await tab.locator(".notice.busy").waitFor({ state: "detached" });
  await context.close();
});

it("whoever leaves a chat over its budget is told what follows from that, and can have it at once", async () => {
  const { tab, context } = await world.fullChat();
  const id = new URL(tab.url()).pathname.split("/").at(-1);
  await send(`/api/conversations/${id}`, "PATCH", { settings: { window: 3_000 } });
  const over = tab.locator(".notice", { hasText: "don't fit the budget" });
  await over.getByText("Older messages will be summarised before the next answer.").waitFor();
  await over.getByRole("button", { name: "Do it now" }).click();
  await tab.locator(".notice.done").waitFor();
  expect(await over.count()).toBe(0);
  await context.close();
});

it("a message of nothing but tool calls, and one of their results, can be pinned", async () => {
  const url = await toolWork("Pins");
  const { tab, context, faults } = await openPage(world.browser, url);
  const calls = tab.locator(".message.works.assistant");
  await calls.hover();
  await calls.getByRole("button", { name: "More actions" }).first().click();
  await tab.getByRole("menuitem", { name: /^Pin:/ }).click();
  await calls.locator(".tag.pinned").waitFor();
  const result = tab.locator(".message.works.tool");
  await result.hover();
  await result.getByRole("button", { name: "More actions" }).first().click();
  await tab.getByRole("menuitem", { name: /^Pin:/ }).click();
  await result.locator(".tag.pinned").waitFor();
  await tab.reload();
  await eventually(() => tab.locator(".tag.pinned").count()).toBe(2);
  expect(faults).toEqual([]);
  await context.close();
});

it.each([
  [390, "any browser"],
  [390, "one that places nothing itself"],
  [1024, "any browser"],
  [1440, "any browser"],
  [1440, "one that places nothing itself"],
])("a message's menu opens at its button at %i px in %s, wherever the message is", async (width, which) => {
  const { tab, context } = await world.fullChat();
  await tab.setViewportSize({ width, height: 700 });
  if (which !== "any browser")
    await tab.evaluate(`(() => {
        CSS.supports = () => false;
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(".menu, .source { position-area: none !important; position-try: none !important }");
        document.adoptedStyleSheets = [sheet];
      })()`);
  const rows = tab.locator(".message.user");
  for (const row of [rows.first(), rows.last()]) {
    await row.scrollIntoViewIfNeeded();
    await row.hover();
    const button = row.getByRole("button", { name: "More actions" });
    await button.click();
    const menu = tab.getByRole("menu");
    await menu.getByRole("menuitem").first().waitFor();
    const [from, to] = [(await button.boundingBox())!, (await menu.boundingBox())!];
    const beside = Math.max(0, to.x - (from.x + from.width), from.x - (to.x + to.width));
    const apart = Math.max(0, to.y - (from.y + from.height), from.y - (to.y + to.height));
    expect({ beside, apart: apart <= 8 }).toEqual({ beside: 0, apart: true });
    expect({
      left: to.x >= 0,
      right: to.x + to.width <= width,
      top: to.y >= 0,
      bottom: to.y + to.height <= 700,
    }).toEqual({ left: true, right: true, top: true, bottom: true });
    await tab.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
  }
  await context.close();
});

/** What can be set in the library, the config and a request can be set for a chat on the page, too. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, eventually, showAllSettings } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world.close());

it("a chat is given triggers, turns that stay and words before the summary, and the next turn goes by them", async () => {
  const { tab, context, faults } = await world.fullChat(4);
  const id = new URL(tab.url()).pathname.split("/")[2];
  const settings = async () =>
    ((await (await fetch(`${world.serve.url}/api/conversations/${id}`)).json()) as { settings: object })
      .settings;
  await tab.getByRole("button", { name: "Chat settings" }).click();
  const dialog = tab.getByRole("dialog");
  await showAllSettings(tab);
  const fill = async (label: string, text: string) => {
    const box = dialog.getByLabel(label, { exact: true });
    await box.fill(text);
    await box.press("Enter");
  };
  await fill("Compact after messages", "6");
  await eventually(settings).toMatchObject({ triggerMessages: 6 });
  await fill("Newest turns, at most", "1");
  await eventually(settings).toMatchObject({ tailTurns: 1 });
  await fill("Words before the summary", "Ask before you open the shed.");
  await eventually(settings).toMatchObject({ preface: "Ask before you open the shed." });
  await fill("Compact at", "3k");
  await eventually(settings).toMatchObject({ startAt: 3_000 });
  await fill("Compact at", "85");
  await eventually(settings).toMatchObject({ startAt: 0.85 });
  await fill("Compact after turns", "many");
  await dialog.getByText("“many” isn't a number. Enter a whole number, such as 10.").waitFor();
  await tab.keyboard.press("Escape");
  // Half full, but six messages are enough by now.
  await ask(tab, "What hangs behind the door?");
  // The summary was written beside that turn; a turn soon after goes by it.
  await ask(tab, "And who has the other key?");
  await ask(tab, "And who has the third key?");
  const read = async (path: string) =>
    (await fetch(`${world.serve.url}/api/conversations/${id}/${path}`)).json() as Promise<{
      events?: { type: string; reason?: string }[];
      dividers?: { text: string }[];
    }>;
  const compaction = async () => (await read("timeline")).events?.find(({ type }) => type === "compacted");
  await eventually(compaction).toMatchObject({ reason: "messages" });
  const summary = async () => (await read("messages?last=1")).dividers?.at(-1)?.text;
  await eventually(summary).toContain("Ask before you open the shed.");
  expect(faults).toEqual([]);
  await context.close();
});

/** Clients begin with the project's rules and where they work; the title is what the user asked. */
import { expect, it } from "vitest";
import { startBoth } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const AGENTS = `# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\n${"Use tabs. ".repeat(400)}\n</INSTRUCTIONS>`;
const ENVIRONMENT =
  "<environment_context>\n  <cwd>/work</cwd>\n  <shell>bash</shell>\n</environment_context>";
const REMINDER = `<system-reminder>\nAs you answer, use this context:\n# claudeMd\n${"Be brief. ".repeat(400)}\n</system-reminder>`;
const QUESTION = "Why does the pump leak?";

const text = (words: string) => ({ type: "text", text: words });
const user = (...content: object[]) => ({ role: "user", content });

it.each([
  ["Codex: messages of their own", [user(text(AGENTS)), user(text(ENVIRONMENT)), user(text(QUESTION))]],
  ["Claude Code: blocks before the words", [user(text(REMINDER), text(QUESTION))]],
  ["one text", [user(text(`${REMINDER}\n${ENVIRONMENT}\n\n${QUESTION}`))]],
  ["rules without a tag", [user(text("# AGENTS.md instructions for /")), user(text(QUESTION))]],
])("the title is the user's first own words: %s", async (_, messages) => {
  const { gateway } = await startBoth({}, { reply: () => "The seal." });
  expect((await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages })).status).toBe(200);
  const listed = (await (await fetch(`${gateway.url}/api/conversations`)).json()) as {
    conversations: { title: string }[];
  };
  expect(listed.conversations.map(({ title }) => title)).toEqual([QUESTION]);
});

it("a chat of nothing but a preamble still has a title", async () => {
  const { gateway } = await startBoth({}, { reply: () => "Ready." });
  await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages: [user(text(ENVIRONMENT))] });
  const listed = (await (await fetch(`${gateway.url}/api/conversations`)).json()) as {
    conversations: { title: string }[];
  };
  expect(listed.conversations[0]!.title).toContain("/work");
});

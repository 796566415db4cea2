import { afterEach, expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { fileText } from "./long-task.ts";

const WINDOW = 12_000;
const ROUNDS = 25;
/** Nothing in it sounds like a rule: a summary that keeps rules wouldn't keep this. */
const RULES = Array.from(
  { length: 12 },
  (_, number) => `Module ${number} belongs to team ${number * 3} and is built with make.`,
).join("\n");

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(window: number) {
  // How much the provider would take is not what is asked here.
  const provider = await startFakeProvider({ window: 2 * window });
  closing.push(provider.close);
  const running = await startGateway({ ...upstreamAt(provider.url), window, summarizer: "extractive" });
  closing.push(running.close);
  const post = async (path: string, body: object) => {
    const response = await fetch(`${running.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.text()).toBe(200);
  };
  return { provider, post };
}

it("AGENTS.md, as Codex sends it once, is read with every request", async () => {
  const { provider, post } = await start(WINDOW);
  const input: object[] = [
    {
      role: "user",
      content: `# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>\n${RULES}\n</INSTRUCTIONS>`,
    },
    { role: "user", content: "<environment_context>\n  <cwd>/srv/orders</cwd>\n</environment_context>" },
  ];
  for (const question of ["Read the first files.", "Read the others, too."]) {
    input.push({ role: "user", content: question });
    for (let round = 0; round < ROUNDS; round++) {
      const call_id = `call_${input.length}`;
      const path = `src/${call_id}.ts`;
      await post("/v1/responses", { model: "gpt-5", instructions: "Be careful.", store: false, input });
      input.push(
        { type: "function_call", call_id, name: "read", arguments: JSON.stringify({ path }) },
        { type: "function_call_output", call_id, output: fileText(path) },
      );
    }
    input.push({ role: "assistant", content: [{ type: "output_text", text: "Done." }] });
  }
  for (const { messages, number } of provider.requests) {
    const text = messages.map((message) => message.text).join("\n");
    expect(text, `request ${number}`).toContain(RULES);
    expect(text, `request ${number}`).toContain("<cwd>/srv/orders</cwd>");
  }
});

it("CLAUDE.md, as Claude Code sends it once, is read with every request", async () => {
  const { provider, post } = await start(WINDOW);
  const reminder = `<system-reminder>\n# claudeMd\n${RULES}\n</system-reminder>`;
  const messages: object[] = [];
  for (const parts of [[reminder, "Read the first files."], ["Read the others, too."]]) {
    messages.push({ role: "user", content: parts.map((text) => ({ type: "text", text })) });
    for (let round = 0; round < ROUNDS; round++) {
      const id = `toolu_${messages.length}`;
      const path = `src/${id}.ts`;
      await post("/v1/messages", { model: "claude-sonnet-4-5", max_tokens: 500, messages });
      messages.push(
        { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: fileText(path) }] },
      );
    }
    messages.push({ role: "assistant", content: "Done." });
  }
  for (const { messages: seen, number } of provider.requests)
    expect(seen.map(({ text }) => text).join("\n"), `request ${number}`).toContain(RULES);
});

it("where there is no room to hold them, they don't stand in the way", async () => {
  const { provider, post } = await start(2_000);
  const reminder = `<system-reminder>\n${RULES.slice(0, 700)}\n</system-reminder>`;
  const messages = [
    { role: "user", content: `${reminder}\nHello.` },
    { role: "assistant", content: "Hello." },
    { role: "user", content: "word ".repeat(1_450) },
  ];
  await post("/v1/chat/completions", { model: "any-model", messages });
  expect(provider.requests.map(({ error }) => error)).toEqual([undefined]);
});

import { afterEach, expect, it } from "vitest";
import {
  type AnthropicMessage,
  anthropicMessages,
  type ChatMessage,
  openaiChat,
} from "../../src/apis/index.ts";
import type { Dialect, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { anthropic, chat, checkView, type FakeProvider, startFakeProvider } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { talk } from "../support/host.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { gatedModel } from "./gated-model.ts";

let provider: FakeProvider | undefined;
afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

const NOW = 1_700_000_000_000;

/** Plays against a provider that is as strict as can be; every view must be taken. */
async function playStrictly(
  dialect: Dialect<ChatMessage>,
  script: readonly ChatMessage[],
  options: {
    readonly placement?: "user" | "system" | "merged";
    readonly model?: boolean;
    /** Messages of the tail: with 5 it begins with a user message, with 4 it doesn't. */
    readonly tail?: number;
  } = {},
): Promise<ChatMessage[][]> {
  provider = await startFakeProvider({ alternation: "strict" });
  const compactor = createCompactor<ChatMessage>({
    dialect,
    budget: 3_000,
    tail: { messages: options.tail ?? 5, share: 1 },
    ...(options.placement && { placement: options.placement }),
    ...(options.model !== false && { summarizer: gatedModel(), waitMs: HANGS_AFTER_MS }),
  });
  const transcript: ChatMessage[] = [];
  const views: ChatMessage[][] = [];
  let state: State | undefined;
  for (const [at, message] of script.entries()) {
    if (message.role === "assistant") {
      const result = await compactor.fit(transcript, { now: NOW + at, ...(state && { state }) });
      const count = counterOf(openaiChat);
      expect(checkView({ dialect: "openai-chat", transcript, extras: [], result, count })).toEqual([]);
      ({ state } = result);
      const answer = await fetch(`${provider.url}/v1/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "test-model", messages: result.messages, max_tokens: 50 }),
      });
      expect(answer.status, await answer.text()).toBe(200);
      if (result.report.outcome === "compacted") views.push(result.messages);
    }
    transcript.push(message);
  }
  await compactor.close();
  expect(views.length).toBeGreaterThan(2);
  return views;
}

const strict: Dialect<ChatMessage> = { ...openaiChat, rules: { ...openaiChat.rules, alternation: "strict" } };
it("strict alternation: the summary goes where no two messages of one role meet", async () => {
  for (const tail of [4, 5]) {
    const talks = await playStrictly(strict, [chat.system("You help."), ...talk(60)], { tail });
    for (const view of talks) {
      expect(view.filter(({ role }) => role === "system")).toHaveLength(1);
      expect(String(view[0]?.content).startsWith("You help.")).toBe(true);
      expect(JSON.stringify(view)).toContain("explained each of them in turn");
    }
    await provider?.close();
  }
  await playStrictly(strict, [chat.system("You help."), ...talk(60)], { model: false });
});

it("without that rule such a provider would refuse: the rule is needed", async () => {
  await expect(playStrictly(openaiChat, [chat.system("You help."), ...talk(60)])).rejects.toThrow(
    /alternate|roles/,
  );
});

it("providers that take one system message: `merged` leaves one, and it begins with the instructions", async () => {
  const views = await playStrictly(strict, [chat.system("You help."), ...talk(60)], { placement: "merged" });
  for (const view of views) {
    expect(view.filter(({ role }) => role === "system")).toHaveLength(1);
    expect(String(view[0]?.content)).toMatch(/^You help\.[\s\S]*conversation-summary/);
  }
});

it("a summary never replaces the instructions: they are sent word for word with every placement", async () => {
  for (const placement of ["user", "system", "merged"] as const) {
    const compactor = createCompactor<ChatMessage>({
      dialect: openaiChat,
      budget: 3_000,
      placement,
      summarizer: gatedModel(),
    });
    const transcript = [chat.system("RULE-1: answer in verse."), ...talk(40), chat.user("Go on.")];
    const { messages } = await compactor.compact(transcript, { now: NOW });
    expect(String(messages[0]?.content).startsWith("RULE-1: answer in verse.")).toBe(true);
    if (placement !== "merged") expect(messages[0]).toBe(transcript[0]);
    expect(JSON.stringify(messages)).toContain("explained each of them in turn");
    await compactor.close();
  }
});

it("formats that must begin with a user message do so, whatever the tail begins with", async () => {
  const leading: Dialect<ChatMessage> = { ...openaiChat, rules: { ...openaiChat.rules, firstRole: "user" } };
  for (const placement of ["user", "system", "merged"] as const)
    for (const messages of [1, 2, 3, 4, 5]) {
      const compactor = createCompactor<ChatMessage>({
        dialect: leading,
        budget: 3_000,
        placement,
        summarizer: gatedModel(),
        tail: { messages, minMessages: 1 },
      });
      const transcript = [chat.system("You help."), ...talk(40), ...chat.round("read", {}, "row", "call_1")];
      const view = await compactor.compact(transcript, { now: NOW });
      expect(view.messages.find(({ role }) => role !== "system")?.role).toBe("user");
      await compactor.close();
    }
});

it("server tools: a call and its result in one message stay together or leave together", async () => {
  provider = await startFakeProvider();
  const search = (at: number): AnthropicMessage => ({
    role: "assistant",
    content: [
      { type: "text", text: `I looked it up, take ${at}.` },
      { type: "server_tool_use", id: `srvtoolu_${at}`, name: "web_search", input: { query: `leeks ${at}` } },
      {
        type: "web_search_tool_result",
        tool_use_id: `srvtoolu_${at}`,
        content: [
          {
            type: "web_search_result",
            url: `https://example.test/${at}`,
            title: "Leeks",
            encrypted_content: "x".repeat(400),
          },
        ],
      },
      { type: "text", text: `Leeks want sun. ${"They do. ".repeat(20)}` },
    ],
  });
  const compactor = createCompactor<AnthropicMessage>({
    dialect: anthropicMessages,
    budget: 3_000,
    summarizer: gatedModel(),
  });
  const transcript: AnthropicMessage[] = [];
  let state: State | undefined;
  let compacted = 0;
  for (let at = 0; at < 30; at++) {
    transcript.push(anthropic.user(`And leeks, question ${at}?`));
    const result = await compactor.fit(transcript, {
      now: NOW + at,
      system: "You help.",
      ...(state && { state }),
    });
    ({ state } = result);
    if (result.report.outcome === "compacted") compacted++;
    for (const { content } of result.messages) {
      const parts = Array.isArray(content) ? content : [];
      const calls = parts.filter(({ type }) => type === "server_tool_use").map(({ id }) => id);
      const results = parts
        .filter(({ type }) => type === "web_search_tool_result")
        .map((part) => part.tool_use_id);
      expect(results).toEqual(calls);
    }
    transcript.push(search(at));
    await compactor.settled();
  }
  expect(compacted).toBeGreaterThan(1);
  await compactor.close();
});

/** The marks of a request, by where they stand. */
function marksOf(body: { system?: unknown; messages: readonly unknown[] }): string[] {
  const found: string[] = [];
  const look = (value: unknown, name: string) => {
    for (const part of Array.isArray(value) ? value : []) {
      const mark = (part as { cache_control?: { ttl?: string } }).cache_control;
      if (mark) found.push(`${name}${mark.ttl ? ` ${mark.ttl}` : ""}`);
    }
  };
  look(body.system, "system");
  for (const [at, message] of body.messages.entries())
    look((message as { content?: unknown }).content, `message ${at}`);
  return found;
}

it("cache breakpoints: after the head and after the summary, stable from call to call, at most four, long before short", async () => {
  provider = await startFakeProvider();
  const { url } = provider;
  const play = async (own: "none" | "short" | "long" | "four") => {
    const compactor = createCompactor<AnthropicMessage>({
      dialect: anthropicMessages,
      budget: 3_000,
      cacheBreakpoints: true,
      summarizer: gatedModel(),
    });
    const transcript: AnthropicMessage[] = [];
    const seen: { marks: string[]; outcome: string; front: string }[] = [];
    let state: State | undefined;
    for (let at = 0; at < 40; at++) {
      transcript.push(anthropic.user(`Question ${at} about bed-${at}.txt?`));
      const life = own === "long" ? { ttl: "1h" } : {};
      const mark = { cache_control: { type: "ephemeral", ...life } };
      // The host moves its own marks along with the newest messages.
      const sent = transcript.map((message, index): AnthropicMessage => {
        const newest = transcript.length - index;
        const marked = own === "none" ? false : own === "four" ? newest <= 4 : newest === 1;
        const text =
          typeof message.content === "string" ? message.content : String(message.content?.[0]?.text);
        return marked ? { role: message.role, content: [{ type: "text", text, ...mark }] } : message;
      });
      const result = await compactor.fit(sent, {
        now: NOW + at,
        system: "You help.",
        ...(state && { state }),
      });
      ({ state } = result);
      const body = {
        model: "claude-sonnet-4-5",
        max_tokens: 50,
        system: result.system,
        messages: result.messages,
      };
      const answer = await fetch(`${url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(answer.status, await answer.text()).toBe(200);
      const summary = result.report.entries.findIndex(({ type }) => type === "insert");
      seen.push({
        marks: marksOf(body),
        outcome: result.report.outcome,
        front: JSON.stringify([result.system, result.messages.slice(0, summary < 0 ? 0 : summary + 1)]),
      });
      transcript.push(anthropic.assistant(`Answer ${at}: ${"it holds leeks. ".repeat(25)}`));
      await compactor.settled();
    }
    await compactor.close();
    return seen;
  };
  const none = await play("none");
  expect(none[0]?.marks).toEqual(["system"]);
  const after = none.findIndex(({ outcome }) => outcome === "compacted");
  expect(none[after]?.marks).toEqual(["system", expect.stringMatching(/^message \d+$/)]);
  // Until the next compaction the front is the same, mark for mark.
  expect(none[after + 1]?.front).toBe(none[after]?.front);
  const long = await play("long");
  expect(long.at(-1)?.marks.every((mark) => mark.endsWith("1h"))).toBe(true);
  expect((await play("short")).at(-1)?.marks).toHaveLength(3);
  expect((await play("four")).every(({ marks }) => marks.length <= 4)).toBe(true);
});

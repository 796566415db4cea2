import { afterEach, expect, it } from "vitest";
import { type AnthropicMessage, anthropicMessages } from "../../src/apis/index.ts";
import type { CompactorOptions, FitInput, FitResult, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { anthropic as anthropicModel } from "../../src/models/index.ts";
import {
  anthropic,
  checkView,
  type FakeProvider,
  type FakeReply,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { gatedModel } from "./gated-model.ts";

const MODEL = "claude-sonnet-4-5";
const SYSTEM = "You look after a garden with tools.";
const TOOLS = [{ name: "read", description: "Reads a bed.", input_schema: { type: "object" } }];
const THINKING = { type: "enabled", budget_tokens: 1_024 };
const MAX_TOKENS = 2_048;
const DROP = { prefix_mismatch_behavior: "drop_block" };
const BETA = "thinking-binding-controls-2026-08-01";
const NOW = 1_700_000_000_000;
const ROW = "leeks and beans, watered on Tuesday\n";

let provider: FakeProvider;
afterEach(() => provider.close());

type Content = { readonly type: string; readonly id?: string }[];

/** An agent that thinks, on a provider that binds every thought to what stood before it. */
interface Agent {
  readonly transcript: AnthropicMessage[];
  state: State | undefined;
  /** One request: the view is judged and sent; the answer, signed by the provider, joins the transcript. */
  step(options?: {
    readonly reply?: FakeReply;
    readonly input?: FitInput<AnthropicMessage>;
    /** What the host does about thinking. Default: what the report says. */
    readonly thinking?: object | undefined;
  }): Promise<FitResult<AnthropicMessage>>;
  /** The result of the newest call. */
  answer(rows: number): void;
  pressure(): Promise<number>;
  readonly compactor: ReturnType<typeof createCompactor<AnthropicMessage>>;
}

const CALL: FakeReply = {
  text: "Let me look.",
  calls: [{ name: "read", args: { bed: 1 } }],
  reasoning: "A bed.",
};

async function createAgent(options: Partial<CompactorOptions<AnthropicMessage>> = {}): Promise<Agent> {
  provider = await startFakeProvider({ reply: CALL, binding: "prefix" });
  const compactor = createCompactor<AnthropicMessage>({
    dialect: anthropicMessages,
    budget: 6_000,
    startAt: 0.8,
    ...options,
  });
  const count = counterOf(anthropicMessages);
  let now = NOW;
  const agent: Agent = {
    transcript: [anthropic.user("How are the beds?")],
    state: undefined,
    compactor,
    async pressure() {
      const input = { system: SYSTEM, ...(agent.state && { state: agent.state }) };
      return (await compactor.pressure(agent.transcript, input)).pressure;
    },
    async step({ reply = CALL, input = {}, ...rest } = {}) {
      now += 1_000;
      const { transcript } = agent;
      const snapshot = JSON.stringify(transcript);
      const result = await compactor.fit(transcript, {
        system: SYSTEM,
        now,
        lastRequestAt: now - 1_000,
        ...(agent.state && { state: agent.state }),
        ...input,
      });
      expect(
        checkView({
          dialect: "anthropic-messages",
          transcript,
          snapshot,
          system: SYSTEM,
          extras: [],
          result,
          count,
        }),
      ).toEqual([]);
      agent.state = result.state;
      const off = result.report.warnings.some(({ code }) => code === "thinking-off");
      const thinking = "thinking" in rest ? rest.thinking : off ? undefined : THINKING;
      provider.setReply(reply);
      const answer = await fetch(`${provider.url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-beta": BETA },
        body: JSON.stringify({
          model: MODEL,
          max_tokens: MAX_TOKENS,
          system: result.system,
          messages: result.messages,
          tools: TOOLS,
          ...(thinking && { thinking }),
        }),
      });
      const body = (await answer.json()) as {
        content: Content;
        error?: unknown;
        input_transformations?: unknown;
      };
      expect(answer.status, JSON.stringify(body.error)).toBe(200);
      transcript.push({ role: "assistant", content: body.content } as AnthropicMessage);
      return result;
    },
    answer(rows) {
      const { content } = agent.transcript.at(-1) as unknown as { content: Content };
      const call = content.find((part) => part.type === "tool_use");
      agent.transcript.push(anthropic.result(call!.id!, ROW.repeat(rows)));
    },
  };
  return agent;
}

/** Turns that end, until the transcript is that full. */
async function fill(agent: Agent, pressure: number): Promise<void> {
  while ((await agent.pressure()) < pressure) {
    await agent.step();
    agent.answer(60);
    await agent.step({ reply: { text: "All is well there.", reasoning: "Good." } });
    agent.transcript.push(anthropic.user("And the next one?"));
  }
}

const thoughts = (messages: readonly unknown[]): number =>
  JSON.stringify(messages).split('"type":"thinking"').length - 1;

it("at application every signed thought up to then leaves; later ones are bound to the new prefix and stay", async () => {
  const agent = await createAgent();
  await fill(agent, 0.8);
  const compacted = await agent.step();
  expect(compacted.report.outcome).toBe("compacted");
  expect(thoughts(compacted.messages)).toBe(0);
  expect(compacted.report.warnings).toEqual([]);
  agent.answer(5);
  const next = await agent.step({ reply: { text: "Fine.", reasoning: "Done." } });
  expect(next.report.outcome).toBe("view");
  expect(thoughts(next.messages)).toBe(1);
  agent.transcript.push(anthropic.user("Thanks. And bed 3?"));
  expect(thoughts((await agent.step()).messages)).toBe(2);
});

it("while a round with signed reasoning is under way nothing is applied below 1.0, also if a summary is ready", async () => {
  const agent = await createAgent({ summarizer: gatedModel() });
  await fill(agent, 0.7);
  await agent.step();
  agent.answer(60);
  expect(await agent.pressure()).toBeGreaterThan(0.8);
  expect(await agent.pressure()).toBeLessThan(1);
  await agent.compactor.prepare(agent.transcript, { system: SYSTEM, now: NOW });
  const held = await agent.step({ reply: { text: "Fine.", reasoning: "Done." } });
  expect(held.report.outcome).toBe("pass");
  // With the answer the round is over.
  agent.transcript.push(anthropic.user("And the next one?"));
  expect((await agent.step()).report.outcome).toBe("compacted");
});

it("a loop whose first round alone thought is held as well", async () => {
  const agent = await createAgent();
  await fill(agent, 0.6);
  await agent.step();
  agent.answer(20);
  await agent.step({
    reply: { text: "Another.", calls: [{ name: "read", args: { bed: 2 } }], reasoning: "" },
  });
  agent.answer(50);
  expect(await agent.pressure()).toBeGreaterThan(0.8);
  expect(await agent.pressure()).toBeLessThan(1);
  expect((await agent.step()).report.outcome).toBe("pass");
});

/** A round under way that has just burst the budget. */
async function burst(options?: Partial<CompactorOptions<AnthropicMessage>>): Promise<Agent> {
  const agent = await createAgent(options);
  await fill(agent, 0.75);
  await agent.step();
  agent.answer(300);
  expect(await agent.pressure()).toBeGreaterThan(1);
  return agent;
}

it("at 1.0 the provider's own switch comes first: the open round keeps its thought, and the provider drops it", async () => {
  const agent = await burst();
  const thinking = { ...THINKING, block_binding: DROP };
  const result = await agent.step({ input: { request: { model: MODEL, thinking } }, thinking });
  expect(result.report.outcome).toBe("compacted");
  expect(thoughts(result.messages)).toBe(1);
  expect(result.report.warnings).toEqual([]);
});

it("at 1.0 without the switch the thought leaves and the host is told to send without thinking, until the loop ends", async () => {
  const agent = await burst();
  const result = await agent.step();
  expect(result.report.outcome).toBe("compacted");
  expect(thoughts(result.messages)).toBe(0);
  expect(result.report.warnings.map(({ code }) => code)).toEqual(["thinking-off"]);
  // The loop goes on: its beginning has no thought any more.
  agent.answer(5);
  const next = await agent.step({ reply: "All is well." });
  expect(next.report.warnings.map(({ code }) => code)).toEqual(["thinking-off"]);
  agent.transcript.push(anthropic.user("Thanks. And bed 3?"));
  const after = await agent.step();
  expect(after.report.warnings).toEqual([]);
});

it("a host that doesn't heed the warning would be refused: the warning is needed", async () => {
  const agent = await burst();
  await expect(agent.step({ thinking: THINKING })).rejects.toThrow(/Expected `thinking`/);
});

it("where thinking must stay, nothing before the open round is touched and its result is shortened", async () => {
  const agent = await burst();
  const before = agent.transcript.slice(0, -1);
  const result = await agent.step({ input: { thinking: "must-stay" }, thinking: THINKING });
  expect(result.report.outcome).toBe("compacted");
  expect(result.messages.slice(0, -1)).toEqual(before);
  expect(result.report.warnings).toEqual([]);
  expect(result.report.pressure.after).toBeLessThanOrEqual(1);
  agent.answer(5);
  const next = await agent.step({
    input: { thinking: "must-stay" },
    reply: { text: "Fine.", reasoning: "Done." },
  });
  expect(next.report.warnings).toEqual([]);
});

it("a continuation keeps thoughts and settings in place, and the provider takes it", async () => {
  const agent = await createAgent({ auto: false });
  const compactor = createCompactor<AnthropicMessage>({
    dialect: anthropicMessages,
    budget: 6_000,
    summarizer: anthropicModel({ baseURL: provider.url, apiKey: "key", model: MODEL }),
  });
  const long = "The leeks stand well, the beans need a stake, and the path is wet. ".repeat(12);
  while ((await agent.pressure()) < 0.85) {
    await agent.step({ reply: { text: long.trim(), reasoning: "A bed." } });
    agent.transcript.push(anthropic.user("And the next one?"));
  }
  const request = {
    model: MODEL,
    max_tokens: MAX_TOKENS,
    system: SYSTEM,
    messages: agent.transcript,
    tools: TOOLS,
    thinking: THINKING,
  };
  provider.setReply(summarizingReply({ when: () => true }));
  const asked = provider.requests.length;
  const { background } = await compactor.fit(agent.transcript, { system: SYSTEM, request, now: NOW });
  const { summaries } = await background;
  expect(summaries).toHaveLength(1);
  const sent = provider.requests.slice(asked);
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200));
  expect(sent[0]!.body).toMatchObject({ thinking: THINKING, tools: TOOLS, system: SYSTEM });
  expect(thoughts(sent[0]!.body["messages"] as unknown[])).toBe(thoughts(agent.transcript));
  await compactor.close();
});

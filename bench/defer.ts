/**
 * Tool declarations on demand: what 200 rounds with 60 tools cost, against the client's own requests. The model uses ten of the
 * tools, the last one for the first time in round 160. It loads each when it first needs it, or all ten in the first round. Two kinds
 * of prompt cache: OpenAI's, which finds the longest beginning by itself, and Anthropic's, at the client's marks.
 */

import { parseConfig } from "../src/config/parse-config.ts";
import { createGateway } from "../src/gateway/create-gateway.ts";
import { type FakeReplier, startFakeProvider } from "../src/testing/fake-provider/index.ts";
import { modelInfo, spendOf } from "../src/tokens/model-info.ts";
import { writeResult } from "./support/write-result.ts";

type Json = Readonly<Record<string, unknown>>;

const ROUNDS = 200;
const TOOLS = 60;
const LOADER = "precis_load_tools";
/** In which round each tool is first needed. */
const FIRST_USES = [0, 1, 2, 4, 8, 16, 32, 64, 110, 160];

const functions = Array.from({ length: TOOLS }, (_, n) => ({
  name: `mcp__server_${n % 6}__do_job_${n}`,
  description: `Does job ${n} of the server. ${"It takes names and numbers as the server has them. ".repeat(8)}`,
  parameters: {
    type: "object",
    properties: {
      name: { type: "string", description: "An exact name, as the server's own list has it." },
      limit: { type: "integer", description: "At most so many, the newest first." },
    },
    required: ["name"],
  },
}));
const OUTPUT = "A row of the table with its number, its name and its state. ".repeat(12);
const SYSTEM = "You work through a list of jobs, one after the other, and say what came of each. ".repeat(40);

const nameOf = (n: number): string => functions[n * 5]!.name;
const ALL = FIRST_USES.map((_, n) => nameOf(n));

/** Calls the tool of this round, and loads it before where it isn't declared, alone or with all that come later. */
const worker =
  (isForeseeing: boolean): FakeReplier =>
  ({ tools, messages }) => {
    const round = messages.filter(({ role, text }) => role === "tool" && text.startsWith("Row")).length;
    const known = FIRST_USES.filter((first) => first <= round).length;
    const name = nameOf(FIRST_USES.includes(round) ? known - 1 : (round * 7) % known);
    const args = { name: `row-${round}` };
    return tools.includes(name) || !tools.includes(LOADER)
      ? { text: `Round ${round}.`, calls: [{ name, args }] }
      : { calls: [{ name: LOADER, args: { names: isForeseeing ? ALL : [name] } }] };
  };

interface Api {
  readonly path: string;
  readonly model: string;
  body(messages: readonly Json[]): Json;
  /** The answer as the client keeps it, and the result of its call. */
  next(answer: Json, result: string): readonly Json[];
}

const chat: Api = {
  path: "/v1/chat/completions",
  model: "gpt-5",
  body: (messages) => ({
    messages: [{ role: "system", content: SYSTEM }, ...messages],
    tools: functions.map((one) => ({ type: "function", function: one })),
  }),
  next(answer, content) {
    const [{ message }] = answer["choices"] as [{ message: Json }];
    const [{ id }] = message["tool_calls"] as [{ id: string }];
    const { content: text, tool_calls } = message;
    return [
      { role: "assistant", content: text, tool_calls },
      { role: "tool", tool_call_id: id, content },
    ];
  },
};

const MARK = { cache_control: { type: "ephemeral" } };
const messages: Api = {
  path: "/v1/messages",
  model: "claude-sonnet-4-5",
  body: (all) => ({
    max_tokens: 1_000,
    system: [{ type: "text", text: SYSTEM, ...MARK }],
    tools: functions.map(({ parameters, ...one }) => ({ ...one, input_schema: parameters })),
    messages: all.map((message, n) => {
      const parts = message["content"] as readonly Json[];
      return n === all.length - 1 ? { ...message, content: [{ ...parts[0], ...MARK }] } : message;
    }),
  }),
  next({ content }, result) {
    const { id } = (content as readonly Json[]).find(({ type }) => type === "tool_use") as { id: string };
    return [
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] },
    ];
  },
};

/** The bill of all requests that reached the provider. */
async function session(api: Api, tools: readonly string[], isForeseeing = false) {
  const provider = await startFakeProvider({ window: 10_000_000, reply: worker(isForeseeing) });
  const { listen, close } = await createGateway(
    parseConfig({
      port: 0,
      db: "memory",
      log: "silent",
      window: 2_000_000,
      summarizer: "extractive",
      tools,
      upstreams: [{ name: "fake", baseURL: provider.url }],
    }),
  );
  try {
    const url = await listen();
    const transcript: Json[] = [{ role: "user", content: [{ type: "text", text: "Do all jobs." }] }];
    for (let round = 0; round < ROUNDS; round++) {
      const response = await fetch(`${url}${api.path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({ model: api.model, ...api.body(transcript) }),
      });
      if (!response.ok) throw new Error(await response.text());
      transcript.push(...api.next((await response.json()) as Json, `Row ${round}: ${OUTPUT}`));
    }
    const { prices } = modelInfo(api.model);
    const sum = { input: 0, cacheRead: 0, dollars: 0 };
    for (const { tokens, outputTokens } of provider.requests) {
      sum.input += tokens.input;
      sum.cacheRead += tokens.cacheRead;
      sum.dollars += spendOf({ ...tokens, output: outputTokens }, prices!);
    }
    return {
      requests: provider.requests.length,
      firstInput: provider.requests.find(({ messages: all }) => all.length > 0)!.tokens.input,
      ...sum,
    };
  } finally {
    await close();
    await provider.close();
  }
}

const percent = (share: number): number => Math.round(share * 1_000) / 10;

async function compare(api: Api) {
  const own = await session(api, []);
  const against = async (isForeseeing: boolean) => {
    const deferred = await session(api, ["defer"], isForeseeing);
    return {
      loads: deferred.requests - own.requests,
      /** All input of the session, in per cent of the client's own. */
      inputPercent: percent(deferred.input / own.input),
      cachedPercent: percent(deferred.cacheRead / deferred.input),
      /** What the provider bills, in per cent of the client's own. */
      costPercent: percent(deferred.dollars / own.dollars),
      /** Tokens of the first request, which is nearly all tools and system prompt. */
      firstInput: deferred.firstInput,
    };
  };
  return {
    model: api.model,
    own: { cachedPercent: percent(own.cacheRead / own.input), firstInput: own.firstInput },
    oneByOne: await against(false),
    allAtOnce: await against(true),
  };
}

writeResult({
  rounds: ROUNDS,
  tools: TOOLS,
  used: FIRST_USES.length,
  automaticCache: await compare(chat),
  markedCache: await compare(messages),
});

import { parseJson } from "../../core/json.ts";
import { isObject } from "../json.ts";
import { chatWire } from "./chat.ts";
import { type Accepted, decide, type FakeEvent, type FakeWire, type WireRules } from "./fake-wire.ts";
import { geminiWire } from "./gemini.ts";
import { messagesWire } from "./messages.ts";
import { createPromptCache, inputTokens, lastUserText, type Prompt, readPrompt } from "./prompt.ts";
import { faultBody, faultName, ProviderRefusal, refusalOf, spoiled } from "./refusals.ts";
import { createResponsesWire } from "./responses.ts";
import type {
  FakeApi,
  FakeBody,
  FakeProviderOptions,
  FakeReplier,
  FakeReply,
  FakeRequest,
  Fault,
  RecordedRequest,
} from "./types.ts";

const WINDOW = 200_000;
const MAX_OUTPUT = 64_000;
const CHARS_PER_TOKEN = 4;
/** A thought for requests that ask for thinking, where the reply's author gave none. */
const THOUGHT = "Let me think about this step by step.";

/** What the server sends back. */
export type Outcome =
  | {
      readonly type: "json";
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly type: "text"; readonly status: number; readonly body: string }
  | { readonly type: "events"; readonly events: readonly FakeEvent[]; readonly breakAfter?: number }
  | { readonly type: "hang" }
  | { readonly type: "break" };

/** A request as it came in. */
interface Incoming {
  readonly api: FakeApi;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
}

/** Everything but the socket. */
export interface Exchange {
  readonly requests: RecordedRequest[];
  answer(incoming: Incoming): Promise<Outcome>;
  /** What the provider's own endpoint for counting answers. */
  count(incoming: Incoming): Outcome;
  failNext(...faults: readonly Fault[]): void;
  setReply(reply: NonNullable<FakeProviderOptions["reply"]>): void;
}

/** The APIs that the fake provider speaks. */
export const createWires = () => ({
  chat: chatWire,
  responses: createResponsesWire(),
  messages: messagesWire,
  gemini: geminiWire,
});

export function createExchange(options: FakeProviderOptions): Exchange {
  const { window = WINDOW, now = Date.now } = options;
  const count = options.count ?? ((text: string) => Math.ceil(text.length / CHARS_PER_TOKEN));
  const cache = createPromptCache(options.cache ?? {}, now);
  const wires = createWires();
  const requests: RecordedRequest[] = [];
  const announced: Fault[] = [];
  let replier = replierOf(options.reply ?? "OK.");

  const rules = ({ headers }: Incoming, model: string, isCounted: boolean): WireRules => ({
    maxOutput: MAX_OUTPUT,
    alternation: "merged",
    unknownFields: "refuse",
    ...options,
    window,
    headers,
    model,
    isCounted,
  });

  function faultFor(request: FakeRequest): Fault | undefined {
    const next = announced.shift();
    if (next !== undefined) return next;
    const { faults } = options;
    return typeof faults === "function" ? faults(request) : faults?.[request.number];
  }

  async function answer(incoming: Incoming): Promise<Outcome> {
    const { api } = incoming;
    const wire: FakeWire = wires[api];
    const id = `req_fake${requests.length}`;
    const record = { ...blank(incoming, requests.length), status: 0 } as Mutable<RecordedRequest>;
    requests.push(record);
    const refuse = (fault: ProviderRefusal, headers: Readonly<Record<string, string>> = {}): Outcome => {
      record.status = fault.status;
      record.error = fault.message;
      return { type: "json", status: fault.status, body: faultBody(wire, fault, id), headers };
    };
    try {
      if (!isAllowed(options.apiKey, incoming.headers)) throw refusalOf("unauthorized", wire)!.fault;
      const body = parseBody(incoming.raw);
      const asked = wire.api.read(body, incoming.path);
      Object.assign(record, { body, model: asked?.model ?? "", streamed: asked?.streamed ?? false });
      const checked = rules(incoming, record.model, false);
      const accepted = wire.accept(body, checked);
      const prompt = readPrompt(wire, accepted.body, incoming.path, count);
      const input = inputTokens(prompt.pieces);
      Object.assign(record, {
        messages: prompt.messages,
        lastUser: lastUserText(prompt.messages),
        tools: prompt.tools,
        cap: asked?.cap,
        tokens: { input, cacheRead: 0, cacheWrite: 0 },
      });
      const fault = faultFor(record);
      record.fault = fault === undefined ? undefined : faultName(fault);
      const refusal = fault === undefined ? undefined : refusalOf(fault, wire);
      if (refusal !== undefined) return refuse(refusal.fault, refusal.headers);
      if (record.fault === "never") return { type: "hang" };
      const isForced = record.fault === "too-long";
      const size = isForced ? window + input : input;
      const tooLong = wire.tooLong(size, record.cap, checked, body);
      if (tooLong !== undefined && options.tooLong !== undefined) {
        const other = options.tooLong(size, window);
        record.status = other.status;
        record.error = JSON.stringify(other.body);
        return { type: "json", ...other };
      }
      if (tooLong !== undefined) return refuse(tooLong);

      return await reply(record, accepted, prompt, fault);
    } catch (error) {
      if (error instanceof ProviderRefusal) return refuse(error);
      throw error;
    }
  }

  /** Answers a request that was accepted. */
  async function reply(
    record: Mutable<RecordedRequest>,
    accepted: Accepted,
    prompt: Prompt,
    fault: Fault | undefined,
  ): Promise<Outcome> {
    const wire: FakeWire = wires[record.api];
    const room = Math.max(1, window - record.tokens.input);
    const use = cache.use(record.api, record.model, prompt.pieces);
    record.tokens = { input: use.input, cacheRead: use.cacheRead, cacheWrite: use.cacheWrite };
    const given = spoiled(fault, withThought(await replier(record), accepted.thinks === true));
    if (typeof given !== "string" && given.delayMs !== undefined) await sleep(given.delayMs);
    const decided = decide(given, record, { room, count, callPrefix: wire.callPrefix });
    record.status = 200;
    record.outputTokens = decided.outputTokens;
    if (record.fault === "wrong-json") return { type: "text", status: 200, body: '{"id": "cut o' };
    if (!record.streamed) {
      const json = wire.json(decided, use, record, accepted);
      return record.fault === "reset" ? { type: "break" } : { type: "json", status: 200, body: json };
    }
    const events = wire.events(decided, use, record, accepted);
    return record.fault === "reset"
      ? { type: "events", events, breakAfter: Math.ceil(events.length / 2) }
      : { type: "events", events };
  }

  function counted(incoming: Incoming): Outcome {
    const wire: FakeWire = wires[incoming.api];
    try {
      const body = parseBody(incoming.raw);
      const model = wire.api.read(body, incoming.path)?.model ?? "";
      const accepted = wire.accept(body, rules(incoming, model, true));
      const input = inputTokens(readPrompt(wire, accepted.body, incoming.path, count).pieces);
      const counted = { input, original: input, hasEdits: false, isBeta: false };
      return { type: "json", status: 200, body: wire.api.counting?.answer(counted) };
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
      return { type: "json", status: error.status, body: faultBody(wire, error, "req_fake_count") };
    }
  }

  return {
    requests,
    answer,
    count: counted,
    failNext: (...faults) => void announced.push(...faults),
    setReply(reply) {
      replier = replierOf(reply);
    },
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function blank({ api, path, headers, raw }: Incoming, number: number): Omit<RecordedRequest, "status"> {
  return {
    number,
    api,
    path,
    headers,
    raw,
    body: {},
    model: "",
    streamed: false,
    messages: [],
    lastUser: "",
    tools: [],
    cap: undefined,
    tokens: { input: 0, cacheRead: 0, cacheWrite: 0 },
    error: undefined,
    fault: undefined,
    outputTokens: 0,
  };
}

/** A list is used up: a request too many is a mistake in the test, and told. */
function replierOf(reply: NonNullable<FakeProviderOptions["reply"]>): FakeReplier {
  if (typeof reply === "function") return reply;
  if (!Array.isArray(reply)) return () => reply as FakeReply;
  const left = [...(reply as readonly FakeReply[])];
  return () => {
    const next = left.shift();
    if (next === undefined) throw new ProviderRefusal("fake provider: the script has no reply left");
    return next;
  };
}

function withThought(reply: FakeReply, thinks: boolean): FakeReply {
  if (!thinks) return reply;
  const given = typeof reply === "string" ? { text: reply } : reply;
  return { ...given, reasoning: given.reasoning ?? THOUGHT };
}

function parseBody(raw: string): FakeBody {
  const body = parseJson(raw);
  if (isObject(body)) return body;
  throw new ProviderRefusal(
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly.)",
  );
}

export function isAllowed(key: string | undefined, headers: Readonly<Record<string, string>>): boolean {
  if (key === undefined) return true;
  return (
    headers["authorization"] === `Bearer ${key}` ||
    headers["x-api-key"] === key ||
    headers["api-key"] === key ||
    headers["x-goog-api-key"] === key
  );
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

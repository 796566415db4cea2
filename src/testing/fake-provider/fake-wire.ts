import { createHash } from "node:crypto";
import type { ServedApi } from "../../apis/shared/api.ts";
import { lastTrue } from "../../core/collections.ts";
import type { CacheUse } from "./prompt.ts";
import type { ProviderRefusal } from "./refusals.ts";
import type { FakeBody, FakeFamily, FakeProviderOptions, FakeReply, FakeRequest } from "./types.ts";

/** One server-sent event; `event` is left out where the API has no names. */
export interface FakeEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** What validation needs to know beside the body. */
export interface WireRules
  extends Required<Pick<FakeProviderOptions, "window" | "maxOutput" | "alternation" | "unknownFields">>,
    Pick<FakeProviderOptions, "binding" | "family"> {
  readonly headers: Readonly<Record<string, string>>;
  /** What body or path name. */
  readonly model: string;
  /** The request is counted, not answered. */
  readonly isCounted: boolean;
}

/** A request that was found in order. */
export interface Accepted {
  /** The request as the model reads it: with what it only named, and without thoughts that the provider left out. */
  readonly body: FakeBody;
  /** The answer begins with a thought. */
  readonly thinks?: boolean;
  readonly family?: FakeFamily | undefined;
  /** What the provider changed, as its answer tells it. */
  readonly transformations?: readonly unknown[];
}

/**
 * One API of the fake provider. What a request says, and what the model reads of it, is read as precis reads it; what the provider refuses
 * and answers is written from its own documentation, so that a misreading of precis's can't hide itself.
 */
export interface FakeWire {
  readonly api: ServedApi;
  /** Refuses by throwing a `ProviderRefusal`, in the words of the real provider. */
  accept(body: FakeBody, rules: WireRules): Accepted;
  /** What ids of its calls begin with. Default: those of OpenAI. */
  readonly callPrefix?: string;
  /** The body of a refusal. Default: as OpenAI writes it. */
  refusal?(fault: ProviderRefusal, requestId: string): unknown;
  /** Its faults are told in the words of Anthropic. Default: of OpenAI. */
  readonly speaksAsAnthropic?: true;
  /** Fields that stand behind the system prompt for the cache, and cost nothing. */
  settings?(body: FakeBody): unknown;
  /** For the cache, thoughts of earlier answers are a part of the prompt. */
  readonly comparesThoughts?: true;
  /** Neighbours of the same role are one message. */
  readonly joinsRoles?: true;
  /** The refusal of a prompt that doesn't fit. */
  tooLong(
    tokens: number,
    cap: number | undefined,
    rules: WireRules,
    body: FakeBody,
  ): ProviderRefusal | undefined;
  json(answer: Answer, use: CacheUse, request: FakeRequest, accepted: Accepted): unknown;
  events(answer: Answer, use: CacheUse, request: FakeRequest, accepted: Accepted): readonly FakeEvent[];
}

/** A reply with everything decided, before it is put into an API's own shape. */
export interface Answer {
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly stop: "end" | "length" | "window" | "refusal" | "content-filter" | "tool-call";
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/**
 * Decides what really comes out: the answer's cap and what is left of the window cut it off, reasoning first, as they do
 * at a real provider.
 */
export function decide(
  reply: FakeReply,
  request: FakeRequest,
  limits: {
    readonly room: number;
    readonly count: (text: string) => number;
    readonly callPrefix: string | undefined;
  },
): Answer {
  const given = typeof reply === "string" ? { text: reply } : reply;
  const { count, room, callPrefix = "call_" } = limits;
  const cap = Math.min(request.cap ?? Number.POSITIVE_INFINITY, room);
  const reasoning = cut(given.reasoning ?? "", cap, count);
  const text = cut(given.text ?? "", cap - count(reasoning), count);
  const calls = (given.calls ?? []).map((call, index) => ({
    id: call.id ?? `${callPrefix}${digest(request.number, index, call.name)}`,
    name: call.name,
    args: typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {}),
  }));
  const isCut = reasoning !== (given.reasoning ?? "") || text !== (given.text ?? "");
  const reasoningTokens = count(reasoning);
  const written = calls.reduce((sum, call) => sum + count(call.name) + count(call.args), count(text));
  return {
    id: digest("answer", request.number, request.raw),
    text,
    reasoning,
    calls,
    stop: isCut
      ? room < (request.cap ?? Number.POSITIVE_INFINITY)
        ? "window"
        : "length"
      : (given.stop ?? (calls.length > 0 ? "tool-call" : "end")),
    outputTokens: reasoningTokens + written,
    reasoningTokens,
  };
}

/** The beginning of a text that has at most so many tokens. */
function cut(text: string, tokens: number, count: (text: string) => number): string {
  if (count(text) <= tokens) return text;
  return text.slice(
    0,
    lastTrue(1, text.length, (length) => count(text.slice(0, length)) <= tokens),
  );
}

/** Longest piece of a streamed text. */
const PIECE_CHARS = 24;

/** A text in the pieces that a stream delivers it in. No character is torn apart. */
export function pieces(text: string): string[] {
  const characters = [...text];
  const found: string[] = [];
  for (let at = 0; at < characters.length; at += PIECE_CHARS)
    found.push(characters.slice(at, at + PIECE_CHARS).join(""));
  return found;
}

/** A short, stable name for a value: the same JSON gives the same name. */
export function digest(...values: readonly unknown[]): string {
  const hash = createHash("sha256");
  for (const value of values)
    hash.update(typeof value === "string" ? value : (JSON.stringify(value) ?? "")).update("\0");
  return hash.digest("base64url").slice(0, 22);
}

import type { DialectId } from "../../core/types.ts";
import { judgeWire } from "../rules/judge-wire.ts";
import type { RuleKind } from "../rules/rules.ts";
import type { FakeWire } from "./fake-wire.ts";
import type { FakeReply, Fault, FaultName } from "./types.ts";

/** A refusal in the provider's own words. */
export class ProviderRefusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;

  constructor(
    message: string,
    fields: { status?: number; type?: string; param?: string | null; code?: string | null } = {},
  ) {
    super(message);
    this.status = fields.status ?? 400;
    this.type = fields.type ?? "invalid_request_error";
    this.param = fields.param ?? null;
    this.code = fields.code ?? null;
  }
}

/** The body of a refusal, in the API's own shape. */
export function faultBody(wire: FakeWire | undefined, fault: ProviderRefusal, requestId: string): unknown {
  const { message, type, param, code } = fault;
  return wire?.refusal?.(fault, requestId) ?? { error: { message, type, param, code } };
}

/** Throws the refusal unless the condition holds. */
export function demand(
  condition: unknown,
  message: string,
  fields?: ConstructorParameters<typeof ProviderRefusal>[1],
): asserts condition {
  if (!condition) throw new ProviderRefusal(message, fields);
}

/** How a provider says that a rule is broken: at which message, and by which calls. */
type Words = { readonly [K in RuleKind]?: (at: number, ids: readonly string[]) => ProviderRefusal };

/** Refuses the first message that breaks one of these rules of the rule book, in the provider's own words. */
export function demandRules(dialect: DialectId, messages: readonly unknown[], words: Words): void {
  const broken = judgeWire(dialect, messages).faults.filter(({ kind }) => words[kind] !== undefined);
  if (broken.length === 0) return;
  const first = broken.reduce((before, fault) => (fault.at < before.at ? fault : before));
  const ids = broken.filter(({ at, kind }) => at === first.at && kind === first.kind).map(({ id }) => id);
  throw words[first.kind]!(first.at, ids);
}

const SLOW_MS = 200;
const RETRY_AFTER_MS = 1_000;
const MS_PER_SECOND = 1_000;
/** Words of a model that got stuck. */
const GARBAGE = "the the of of the of the the of ".repeat(60).trim();
const REFUSAL = "I'm sorry, but I can't help with that.";

export const faultName = (fault: Fault): FaultName => (typeof fault === "string" ? fault : fault.type);

/** A refusal with the headers that go with it. */
export interface FaultAnswer {
  readonly fault: ProviderRefusal;
  readonly headers: Readonly<Record<string, string>>;
}

type Refused = ConstructorParameters<typeof ProviderRefusal>;

/** The faults that are refusals, in OpenAI's words (Gemini's clients look at the status alone) and in Anthropic's. */
const REFUSALS: { readonly [F in FaultName]?: { readonly openai: Refused; readonly anthropic: Refused } } = {
  "rate-limited": {
    openai: [
      "Rate limit reached for requests. Please slow down.",
      { status: 429, type: "requests", code: "rate_limit_exceeded" },
    ],
    anthropic: [
      "This request would exceed your organization's rate limit.",
      { status: 429, type: "rate_limit_error" },
    ],
  },
  "server-error": {
    openai: [
      "The server had an error while processing your request. Sorry about that!",
      { status: 500, type: "server_error" },
    ],
    anthropic: ["Internal server error", { status: 500, type: "api_error" }],
  },
  overloaded: {
    openai: [
      "The server is currently overloaded with other requests. Sorry about that!",
      { status: 503, type: "server_error" },
    ],
    anthropic: ["Overloaded", { status: 529, type: "overloaded_error" }],
  },
  unauthorized: {
    openai: [
      "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
      { status: 401, code: "invalid_api_key" },
    ],
    anthropic: ["invalid x-api-key", { status: 401, type: "authentication_error" }],
  },
};

/** The faults that are refusals; undefined for the others. */
export function refusalOf(fault: Fault, wire?: FakeWire): FaultAnswer | undefined {
  const name = faultName(fault);
  const refused = REFUSALS[name]?.[wire?.speaksAsAnthropic ? "anthropic" : "openai"];
  if (refused === undefined) return undefined;
  const ms = (typeof fault === "string" ? undefined : fault.ms) ?? RETRY_AFTER_MS;
  const retry = { "retry-after-ms": String(ms), "retry-after": String(Math.ceil(ms / MS_PER_SECOND)) };
  return { fault: new ProviderRefusal(...refused), headers: name === "rate-limited" ? retry : {} };
}

/** The faults that are answers: what the model says instead. */
export function spoiled(fault: Fault | undefined, reply: FakeReply): FakeReply {
  if (fault === undefined) return reply;
  switch (faultName(fault)) {
    case "empty":
      return "";
    case "garbage":
      return GARBAGE;
    case "refusal":
      return { text: REFUSAL, stop: "refusal" };
    case "cut-off": {
      const text = typeof reply === "string" ? reply : (reply.text ?? "");
      return { text: text.slice(0, Math.ceil(text.length / 2)), stop: "length" };
    }
    case "slow":
      return {
        ...(typeof reply === "string" ? { text: reply } : reply),
        delayMs: (typeof fault === "string" ? undefined : fault.ms) ?? SLOW_MS,
      };
    default:
      return reply;
  }
}

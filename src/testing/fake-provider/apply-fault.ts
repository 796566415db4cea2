import { ProviderRefusal } from "./provider-refusal.ts";
import type { FakeApi, FakeReply, Fault, FaultName } from "./types.ts";

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
export function refusalOf(fault: Fault, api: FakeApi): FaultAnswer | undefined {
  const name = faultName(fault);
  const refused = REFUSALS[name]?.[api === "messages" ? "anthropic" : "openai"];
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

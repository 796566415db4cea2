import type { Exchange } from "./exchange.ts";
import type { GeminiPath } from "./gemini/gemini-path.ts";
import { readPrompt } from "./gemini/gemini-wire.ts";
import { validateGemini } from "./gemini/validate-gemini.ts";
import { acceptMessages } from "./messages/messages-wire.ts";
import { validateMessages } from "./messages/validate-messages.ts";
import { inputTokens } from "./prompt.ts";
import { faultBody, ProviderRefusal } from "./provider-refusal.ts";
import type { FakeApi, FakeBody } from "./types.ts";

/** A request that isn't to be answered, and may be one to be counted. */
interface CountRequest {
  readonly path: string;
  readonly raw: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly gemini: GeminiPath | undefined;
}

interface Counted {
  readonly status: number;
  readonly body: unknown;
}

/** What the provider's own endpoints for counting answer; undefined for any other path. */
export function countRequest(request: CountRequest, exchange: Exchange): Counted | undefined {
  const { path, raw, headers, gemini } = request;
  if (gemini) return answered("gemini", () => countGemini(raw, gemini, exchange));
  if (path === "/messages/count_tokens")
    return answered("messages", () => ({ input_tokens: countMessages(raw, headers, exchange) }));
  if (path === "/responses/input_tokens")
    return answered("responses", () => ({
      object: "response.input_tokens",
      input_tokens: exchange.countInput("responses", raw, headers),
    }));
  return undefined;
}

function answered(api: FakeApi, count: () => unknown): Counted {
  try {
    return { status: 200, body: count() };
  } catch (error) {
    const fault = error instanceof ProviderRefusal ? error : new ProviderRefusal(String(error));
    return { status: fault.status, body: faultBody(api, fault, "req_fake_count") };
  }
}

/** `countTokens` takes bare contents, or a whole request inside of `generateContentRequest`. */
function countGemini(raw: string, { model }: GeminiPath, exchange: Exchange): unknown {
  const { generateContentRequest: inner, ...bare } = JSON.parse(raw) as Record<string, unknown>;
  const body = (inner ?? bare) as FakeBody;
  validateGemini(body, model);
  const totalTokens = inputTokens(readPrompt(body, exchange.rules({}).count).pieces);
  return { totalTokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }] };
}

/** Unlike a request that is answered, one that is counted needs no `max_tokens`. */
function countMessages(raw: string, headers: CountRequest["headers"], exchange: Exchange): number {
  const rules = exchange.rules(headers);
  const body = JSON.parse(raw) as FakeBody;
  validateMessages(body, rules, false);
  return inputTokens(acceptMessages(body, rules).prompt.pieces);
}

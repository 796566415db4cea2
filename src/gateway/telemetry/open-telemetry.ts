import type { IncomingHttpHeaders } from "node:http";
import {
  type Attributes,
  context,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { RequestFact } from "../api.ts";

/** Tells OpenTelemetry of each request, once it is answered. */
export type Tracing = (fact: RequestFact, headers: IncomingHttpHeaders) => void;

/** Of the semantic conventions for generative AI. */
const DURATION = "gen_ai.client.operation.duration";
const TOKENS = "gen_ai.client.token.usage";
const NAME = "precis";

/**
 * Spans and metrics by the conventions for generative AI. Only OpenTelemetry's API is used: they go where the SDK sends them
 * that the process was started with, and nowhere without one. No words of a conversation are in them.
 */
export function createTracing(version: string): Tracing {
  const tracer = trace.getTracer(NAME, version);
  const meter = metrics.getMeter(NAME, version);
  const seconds = meter.createHistogram(DURATION, { unit: "s", description: "How long requests took." });
  const tokens = meter.createHistogram(TOKENS, { unit: "{token}", description: "Tokens of requests." });
  return (fact, headers) => {
    const attributes = attributesOf(fact);
    const parent = propagation.extract(context.active(), headers);
    const startTime = fact.at - fact.ms;
    const name = `chat ${fact.model ?? ""}`.trim();
    const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, parent);
    span.setAttributes(detailsOf(fact));
    if (fact.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(fact.at);
    seconds.record(fact.ms / 1_000, attributes);
    const { input, output } = fact.usage ?? {};
    if (input !== undefined) tokens.record(input, { ...attributes, "gen_ai.token.type": "input" });
    if (output !== undefined) tokens.record(output, { ...attributes, "gen_ai.token.type": "output" });
  };
}

/** What metrics are told apart by. */
function attributesOf({ model, upstream, status }: RequestFact): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    ...(model !== undefined && { "gen_ai.request.model": model }),
    ...(upstream !== undefined && { "gen_ai.provider.name": upstream }),
    ...(status >= 400 && { "error.type": String(status) }),
  };
}

/** What one request was like. */
function detailsOf({
  status,
  path,
  conversation,
  usage,
  outcome,
  tokens,
  cacheLost,
}: RequestFact): Attributes {
  return {
    "http.response.status_code": status,
    "url.path": path,
    "precis.outcome": outcome,
    ...(conversation !== undefined && { "gen_ai.conversation.id": conversation }),
    ...(usage && { "gen_ai.usage.input_tokens": usage.input }),
    ...(usage?.output !== undefined && { "gen_ai.usage.output_tokens": usage.output }),
    ...(usage?.cacheRead !== undefined && { "gen_ai.usage.cache_read.input_tokens": usage.cacheRead }),
    ...(tokens && { "precis.tokens.transcript": tokens.before, "precis.tokens.sent": tokens.after }),
    ...(cacheLost !== undefined && { "precis.cache_lost": cacheLost }),
  };
}

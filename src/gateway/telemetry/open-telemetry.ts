import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import {
  type Attributes,
  type Context,
  context,
  createNoopMeter,
  metrics,
  ProxyTracerProvider,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Model, Usage } from "../../core/types.ts";
import type { RequestFact } from "../api.ts";

export interface TurnTrace {
  run<T>(work: () => T): T;
  end(fact: RequestFact): void;
}

const UNTRACED: TurnTrace = { run: (work) => work(), end() {} };

/** Of the semantic conventions for generative AI. */
const DURATION = "gen_ai.client.operation.duration";
const TOKENS = "gen_ai.client.token.usage";
const NAME = "precis";

/** Tells OpenTelemetry of requests and of the calls that their summaries need. */
export type Tracing = ReturnType<typeof createTracing>;

/**
 * Spans and metrics by the conventions for generative AI. Only OpenTelemetry's API is used: they go where the SDK sends them
 * that the process was started with, and nowhere without one. No words of a conversation are in them.
 */
export function createTracing(
  version: string,
  now: () => number = Date.now,
  /** Told once: what the SDK or its exporter can't do is no fault of a request. */
  onFault: (error: unknown) => void = () => {},
) {
  let isReported = false;
  const guarded = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!isReported) onFault(error);
      isReported = true;
      return undefined;
    }
  };
  const tracer = trace.getTracer(NAME, version);
  const meter = metrics.getMeter(NAME, version);
  const seconds = meter.createHistogram(DURATION, { unit: "s", description: "How long requests took." });
  const tokens = meter.createHistogram(TOKENS, { unit: "{token}", description: "Tokens of requests." });
  /** The turn that work is done for. Its own, because an SDK needn't bring anything that follows asynchronous work. */
  const turns = new AsyncLocalStorage<Context>();

  const record = (ms: number, attributes: Attributes, usage: Usage | undefined): void => {
    seconds.record(ms / 1_000, attributes);
    const { input, output } = usage ?? {};
    if (input !== undefined) tokens.record(input, { ...attributes, "gen_ai.token.type": "input" });
    if (output !== undefined) tokens.record(output, { ...attributes, "gen_ai.token.type": "output" });
  };

  return {
    /** A turn begins: what it does inside of `run`, also later in the background, belongs to its span. */
    begin(headers: IncomingHttpHeaders, startTime: number): TurnTrace {
      const begun = guarded(() => {
        const parent = propagation.extract(context.active(), headers);
        const span = tracer.startSpan("chat", { kind: SpanKind.CLIENT, startTime }, parent);
        return { span, own: trace.setSpan(parent, span) };
      });
      if (!begun) return UNTRACED;
      const { span, own } = begun;
      return {
        run: (work) => turns.run(own, work),
        end: (fact) =>
          guarded(() => {
            const attributes = attributesOf(fact);
            span.updateName(`chat ${fact.model ?? ""}`.trim());
            span.setAttributes({ ...attributes, ...detailsOf(fact) });
            if (fact.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
            span.end(fact.at + fact.ms);
            record(fact.ms, attributes, fact.usage);
          }),
      };
    },

    /** The model, with a span for each of its calls. */
    model: (model: Model): Model => ({
      ...model,
      async complete(request) {
        const startTime = now();
        const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": model.id };
        const span = guarded(() =>
          tracer.startSpan(
            `chat ${model.id}`,
            {
              kind: SpanKind.CLIENT,
              startTime,
              attributes: { ...attributes, "precis.request": request.name },
            },
            turns.getStore() ?? context.active(),
          ),
        );
        try {
          const reply = await model.complete(request);
          const { usage, model: answered } = reply;
          guarded(() => {
            span?.setAttributes({
              ...usageOf(usage),
              ...(answered !== undefined && { "gen_ai.response.model": answered }),
            });
            record(now() - startTime, attributes, usage);
          });
          return reply;
        } catch (error) {
          const type = error instanceof Error ? error.name : "unknown";
          guarded(() => {
            span?.setAttributes({ "error.type": type });
            span?.setStatus({ code: SpanStatusCode.ERROR });
            record(now() - startTime, { ...attributes, "error.type": type }, undefined);
          });
          throw error;
        } finally {
          guarded(() => span?.end(now()));
        }
      },
    }),
  };
}

/** Is there an SDK that is told? Without one, spans and metrics go nowhere. */
export function hasSdk(): boolean {
  const tracers = trace.getTracerProvider();
  const hasTracers =
    !(tracers instanceof ProxyTracerProvider) || tracers.getDelegateTracer(NAME) !== undefined;
  return hasTracers || metrics.getMeterProvider().getMeter(NAME) !== createNoopMeter();
}

function usageOf(usage: Usage | undefined): Attributes {
  return {
    ...(usage && { "gen_ai.usage.input_tokens": usage.input }),
    ...(usage?.output !== undefined && { "gen_ai.usage.output_tokens": usage.output }),
    ...(usage?.cacheRead !== undefined && { "gen_ai.usage.cache_read.input_tokens": usage.cacheRead }),
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
function detailsOf(fact: RequestFact): Attributes {
  const { status, path, conversation, usage, outcome, tokens, cacheLost, lostSpend } = fact;
  return {
    "http.response.status_code": status,
    "url.path": path,
    "precis.outcome": outcome,
    ...(conversation !== undefined && { "gen_ai.conversation.id": conversation }),
    ...usageOf(usage),
    ...(tokens && { "precis.tokens.transcript": tokens.before, "precis.tokens.sent": tokens.after }),
    ...(cacheLost !== undefined && { "precis.cache_lost": cacheLost }),
    ...(lostSpend !== undefined && { "precis.cache_lost_cost": lostSpend }),
  };
}

import { metrics, type Span, trace } from "@opentelemetry/api";
import { afterEach, expect, it, vi } from "vitest";
import { createTracing } from "./open-telemetry.ts";

afterEach(() => {
  trace.disable();
  metrics.disable();
});

/** An SDK in a few lines: what it is told is put into lists. */
function fakeSdk() {
  const spans: { name: string; start: unknown; end?: unknown; attributes: Record<string, unknown> }[] = [];
  const recorded: { name: string; value: number; attributes: object | undefined }[] = [];
  trace.setGlobalTracerProvider({
    getTracer: () =>
      ({
        startSpan(name: string, { startTime, attributes }: { startTime: number; attributes: object }) {
          const one: (typeof spans)[number] = { name, start: startTime, attributes: { ...attributes } };
          spans.push(one);
          return {
            setAttributes: (more: object) => Object.assign(one.attributes, more),
            setStatus: vi.fn(),
            end(at: number) {
              one.end = at;
            },
          } as unknown as Span;
        },
      }) as never,
  });
  metrics.setGlobalMeterProvider({
    getMeter: () =>
      ({
        createHistogram: (name: string) => ({
          record: (value: number, attributes?: object) => recorded.push({ name, value, attributes }),
        }),
      }) as never,
  });
  return { spans, recorded };
}

it("a request is a span and three numbers, by the conventions for generative AI, without words of the conversation", () => {
  const { spans, recorded } = fakeSdk();
  createTracing("1.0.0")(
    {
      at: 5_000,
      ms: 1_500,
      conversation: "c1",
      model: "gpt-4o",
      upstream: "openai",
      path: "/v1/chat/completions",
      status: 200,
      outcome: "compacted",
      tokens: { before: 9_000, after: 3_000 },
      usage: { input: 3_010, output: 200, cacheRead: 1_024 },
      cacheLost: "compaction",
    },
    {},
  );
  expect(spans).toEqual([
    {
      name: "chat gpt-4o",
      start: 3_500,
      end: 5_000,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.provider.name": "openai",
        "gen_ai.conversation.id": "c1",
        "gen_ai.usage.input_tokens": 3_010,
        "gen_ai.usage.output_tokens": 200,
        "gen_ai.usage.cache_read.input_tokens": 1_024,
        "http.response.status_code": 200,
        "url.path": "/v1/chat/completions",
        "precis.outcome": "compacted",
        "precis.tokens.transcript": 9_000,
        "precis.tokens.sent": 3_000,
        "precis.cache_lost": "compaction",
      },
    },
  ]);
  expect(recorded.map(({ name, value }) => [name, value])).toEqual([
    ["gen_ai.client.operation.duration", 1.5],
    ["gen_ai.client.token.usage", 3_010],
    ["gen_ai.client.token.usage", 200],
  ]);
});

import { type Context, metrics, type Span, trace } from "@opentelemetry/api";
import { afterEach, expect, it, vi } from "vitest";
import { createTracing, hasSdk } from "./open-telemetry.ts";

afterEach(() => {
  trace.disable();
  metrics.disable();
});

/** An SDK in a few lines: what it is told is put into lists. */
function fakeSdk() {
  interface FakeSpan {
    name: string;
    readonly start: unknown;
    end?: unknown;
    readonly attributes: Record<string, unknown>;
    /** The span that it belongs to. */
    readonly parent?: string;
  }
  const spans: FakeSpan[] = [];
  const recorded: { name: string; value: number; attributes: object | undefined }[] = [];
  trace.setGlobalTracerProvider({
    getTracer: () =>
      ({
        startSpan(
          name: string,
          { startTime, attributes }: { startTime: number; attributes?: object },
          parentContext: Context,
        ) {
          const parent = trace.getSpan(parentContext) as unknown as { one: FakeSpan } | undefined;
          const one: FakeSpan = {
            name,
            start: startTime,
            attributes: { ...attributes },
            ...(parent && { parent: parent.one.name }),
          };
          spans.push(one);
          return {
            one,
            updateName(given: string) {
              one.name = given;
            },
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
  createTracing("1.0.0")
    .begin({}, 3_500)
    .end({
      id: "r",
      at: 3_500,
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
    });
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

it("the calls of a summary belong to the turn that asked for it, also when they are made after its answer", async () => {
  const { spans } = fakeSdk();
  const tracing = createTracing("1.0.0", () => 7_000);
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const usage = { input: 900, output: 90 };
  const model = tracing.model({
    id: "small",
    complete: async () => ({ text: "A summary.", stop: "end", usage, model: "small-2" }),
  });
  const failing = tracing.model({
    id: "broken",
    complete: () => Promise.reject(new TypeError("no")),
  });
  const turn = tracing.begin({}, 3_500);
  const request = { name: "summarize-full", messages: [], cap: 100 };
  const background = turn.run(async () => {
    await answered;
    await model.complete(request);
    await failing.complete(request).catch(() => {});
  });
  turn.end({
    id: "r",
    at: 3_500,
    ms: 1_500,
    conversation: undefined,
    model: "gpt-4o",
    path: "/v1/chat/completions",
    status: 200,
    outcome: "pass",
    tokens: undefined,
  });
  answer();
  await background;
  expect(spans.map(({ name, parent }) => [name, parent])).toEqual([
    ["chat gpt-4o", undefined],
    ["chat small", "chat gpt-4o"],
    ["chat broken", "chat gpt-4o"],
  ]);
  expect(spans[1]?.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "small",
    "gen_ai.response.model": "small-2",
    "gen_ai.usage.input_tokens": 900,
    "gen_ai.usage.output_tokens": 90,
    "precis.request": "summarize-full",
  });
  expect(spans[2]?.attributes).toMatchObject({ "error.type": "TypeError" });
});

it("an SDK that throws fails no request and no summary, and is told once", async () => {
  const broken = (): never => {
    throw new Error("the exporter has no scheme");
  };
  const span = { updateName: broken, setAttributes: broken, setStatus: broken, end: broken };
  const faults: unknown[] = [];
  const fact = {
    id: "r",
    at: 5,
    ms: 1,
    conversation: undefined,
    model: "m",
    path: "/",
    status: 500,
    outcome: "pass",
  } as const;
  for (const startSpan of [broken, () => span]) {
    trace.disable();
    metrics.disable();
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
    metrics.setGlobalMeterProvider({
      getMeter: () => ({ createHistogram: () => ({ record: broken }) }) as never,
    });
    const tracing = createTracing(
      "1.0.0",
      () => 1,
      (error) => faults.push(error),
    );
    const turn = tracing.begin({}, 1);
    expect(turn.run(() => "done")).toBe("done");
    const model = tracing.model({
      id: "m",
      complete: async () => ({ text: "A summary.", stop: "end", usage: { input: 1, output: 1 } }),
    });
    expect((await model.complete({ name: "n", messages: [], cap: 1 })).text).toBe("A summary.");
    turn.end({ ...fact, tokens: undefined });
  }
  expect(faults).toHaveLength(2);
});

it("knows whether anybody listens", () => {
  expect(hasSdk()).toBe(false);
  fakeSdk();
  expect(hasSdk()).toBe(true);
  trace.disable();
  expect(hasSdk()).toBe(true);
  metrics.disable();
  expect(hasSdk()).toBe(false);
});

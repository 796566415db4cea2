import { type AiSdkMessage, aiSdk } from "../../apis/ai-sdk/index.ts";
import { fittingCap } from "../../core/budget.ts";
import type { FitInput, FitResult, Report } from "../../core/types.ts";
import { type AiSdkLanguageModel, aiSdkEnd } from "../../models/ai-sdk.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { learn, overflowOfError, type Sent, sendFitted } from "../shared/send-fitted.ts";

/** What `precisMiddleware` takes: the options of a compactor, or a compactor, and what belongs to one chat. */
export interface PrecisMiddlewareOptions extends IntegrationOptions<AiSdkMessage> {
  /** More for each call, such as `pins`, `knowledge` and `hostState`. */
  readonly input?: Pick<FitInput<AiSdkMessage>, "pins" | "knowledge" | "hostState" | "lastRequestAt">;
}

/** What a middleware of the AI SDK is called with, as far as precis needs it. */
export interface MiddlewareCall {
  readonly params: CallParams;
  readonly model: AiSdkLanguageModel & { doStream(options: never): PromiseLike<unknown> };
}

/** The call options of specification V2, V3 and V4 that precis reads. All others pass through. */
export interface CallParams {
  readonly prompt: readonly AiSdkMessage[];
  readonly tools?: readonly unknown[] | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A middleware for `wrapLanguageModel` of version 5, 6 and 7. */
export interface PrecisMiddleware {
  readonly specificationVersion: "v3";
  readonly middlewareVersion: "v2";
  wrapGenerate<R>(call: MiddlewareCall & { readonly doGenerate: () => PromiseLike<R> }): Promise<R>;
  wrapStream<R>(call: MiddlewareCall & { readonly doStream: () => PromiseLike<R> }): Promise<R>;
}

/**
 * Keeps every call of a language model inside its window: `wrapLanguageModel({ model, middleware: precisMiddleware() })`.
 * It sees what is sent (instructions, messages, tools), so nothing is left out of the count, in `generateText`,
 * `streamText`, agents and `useChat` alike. A request that the provider refuses as too long is made smaller and sent again.
 *
 * @example
 * const middleware = precisMiddleware({
 *   window: 32_000,
 *   onView: ({ report }) => console.log(report.outcome, report.tokens.after),
 * });
 */
export function precisMiddleware(options: PrecisMiddlewareOptions = {}): PrecisMiddleware {
  const { input = {}, ...rest } = options;
  const compactors = createCompactors(aiSdk, rest);
  // Within one chat the newest state is the one to go on from.
  let { state } = options;

  async function ask<A>(
    { params, model }: MiddlewareCall,
    send: (params: never) => PromiseLike<unknown>,
    check: (answer: A) => Promise<A>,
  ): Promise<Sent<AiSdkMessage, A>> {
    return sendFitted({
      compactors,
      model: model.modelId,
      transcript: params.prompt,
      input: {
        ...input,
        state,
        tools: params.tools,
        // The model's name tells a summariser of the same model that it may go on from this request.
        request: { ...params, model: model.modelId },
        // A middleware can't switch thinking off for a call.
        thinking: "must-stay",
        ...(params.maxOutputTokens !== undefined && { maxAnswer: params.maxOutputTokens }),
        ...(params.abortSignal && { signal: params.abortSignal }),
      },
      onView: (view) => {
        if (options.state !== undefined) state = view.state;
        options.onView?.(view);
      },
      send: async (view) => check((await send(paramsOf(params, view) as never)) as A),
    });
  }

  return {
    specificationVersion: "v3",
    middlewareVersion: "v2",
    async wrapGenerate<R>(call: MiddlewareCall): Promise<R> {
      const { model } = call;
      const sent = await ask<R & AnswerEnd>(
        call,
        (params) => model.doGenerate(params),
        async (answer) => answer,
      );
      await learn(compactors.of(model.modelId), sent.view, aiSdkEnd(sent.answer));
      return withReport(sent.answer, sent.view.report);
    },
    async wrapStream<R>(call: MiddlewareCall): Promise<R> {
      const { model } = call;
      const sent = await ask<R & { readonly stream: ReadableStream<StreamPart> }>(
        call,
        (params) => model.doStream(params),
        async (answer) => ({ ...answer, stream: await peekStream(answer.stream) }),
      );
      const { view, answer } = sent;
      const compactor = compactors.of(model.modelId);
      const stream = watchStream(answer.stream, async (end) => {
        await learn(compactor, view, aiSdkEnd(end));
        return withReport(end, view.report);
      });
      return { ...answer, stream };
    },
  };
}

/** The call options with the view, and with a cap on the answer that fits beside it. */
function paramsOf(params: CallParams, { messages, report }: FitResult<AiSdkMessage>): CallParams {
  const { maxOutputTokens } = params;
  return {
    ...params,
    prompt: messages,
    ...(maxOutputTokens !== undefined && { maxOutputTokens: fittingCap(maxOutputTokens, report) }),
  };
}

/** The answer with what precis did among its provider metadata, never in its text. */
function withReport<A extends AnswerEnd>(answer: A, report: Report): A {
  const precis = {
    outcome: report.outcome,
    pressure: report.pressure.after,
    tokensBefore: report.tokens.before,
    tokensAfter: report.tokens.after,
    budget: report.budget.budget,
  };
  return { ...answer, providerMetadata: { ...answer.providerMetadata, precis } };
}

/** The end of an answer, whole or streamed. */
interface AnswerEnd {
  readonly usage?: unknown;
  readonly finishReason?: unknown;
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A part of a model's stream. */
interface StreamPart extends AnswerEnd {
  readonly type: string;
  readonly error?: unknown;
}

/** Parts that say nothing yet about whether the request was accepted. */
const BEFORE_ANSWER = ["stream-start", "response-metadata", "raw"];

/**
 * Reads the beginning of a stream: some providers accept a request that is too long and say so in the stream's first part.
 * That is thrown, as it would be for a refusal. Otherwise the result is the whole stream.
 */
async function peekStream(stream: ReadableStream<StreamPart>): Promise<ReadableStream<StreamPart>> {
  const reader = stream.getReader();
  const begun: StreamPart[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (value) begun.push(value);
    if (value?.type === "error" && overflowOfError(value.error)) {
      await reader.cancel();
      throw value.error;
    }
    if (done || !BEFORE_ANSWER.includes(value.type)) break;
  }
  return new ReadableStream<StreamPart>({
    start(controller) {
      for (const part of begun) controller.enqueue(part);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The same stream; its `finish` part is handed to `atEnd`, which may add to it. */
function watchStream(
  stream: ReadableStream<StreamPart>,
  atEnd: (part: StreamPart) => Promise<StreamPart>,
): ReadableStream<StreamPart> {
  return stream.pipeThrough(
    new TransformStream<StreamPart, StreamPart>({
      async transform(part, controller) {
        controller.enqueue(part.type === "finish" ? await atEnd(part) : part);
      },
    }),
  );
}

import { ConfigError, ModelError } from "../../core/errors.ts";
import type {
  FitResult,
  Model,
  ModelReply,
  State,
  StopReason,
  TailOptions,
  Tuning,
} from "../../core/types.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { learn, overflowOfError, sendFitted } from "../shared/send-fitted.ts";
import { jsonSchemaOf } from "../shared/tool-schemas.ts";
import type { LangChainMessage } from "./dialect.ts";
import { langchainMessages } from "./dialect.ts";

/** What `precisMiddleware` takes. */
export interface LangChainOptions
  extends Omit<IntegrationOptions<LangChainMessage>, "summarizer" | "state">,
    TriggerAndKeep {
  /** Who writes summaries: a chat model of LangChain or a model of `precis/models`. Left out: code alone. */
  readonly model?: LangChainChatModel | Model;
  /**
   * A schema of the agent's state with the field `precis`, such as `z.object({ precis: z.any().optional() })`. With it, what precis
   * knows is stored by the checkpointer and found again after a restart.
   */
  readonly stateSchema?: unknown;
}

/** What LangChain hands to `wrapModelCall`. */
export interface ModelCallRequest {
  readonly messages: readonly LangChainMessage[];
  readonly systemMessage: LangChainMessage;
  readonly tools: readonly unknown[];
  readonly model: unknown;
  readonly state: object;
}

/** A middleware for `createAgent`. */
export interface PrecisLangChainMiddleware {
  readonly name: string;
  // The schema is the host's own; its type says nothing here. With `never` LangChain would take the agent's whole state for `never`.
  readonly stateSchema?: undefined;
  wrapModelCall<Q extends ModelCallRequest, R>(
    request: Q,
    handler: (request: Q) => R | Promise<R>,
  ): Promise<R>;
  // It adds the field `precis` to a state whose type is the host's own.
  afterModel?(state: { readonly messages: readonly LangChainMessage[] }): never;
}

/**
 * A middleware for `createAgent` of LangChain.js: each call of the model is sent a view that fits. The agent's state, its system message
 * and what a checkpointer stores stay whole.
 *
 * @example
 * const middleware = precisMiddleware({ window: 32_000, trigger: { fraction: 0.8 }, keep: { messages: 20 } });
 */
export function precisMiddleware(options: LangChainOptions = {}): PrecisLangChainMiddleware {
  const { trigger, keep, model: writer, stateSchema, onView, ...rest } = options;
  const summarizer = writer && ("complete" in writer ? writer : langchainModel(writer));
  const compactors = createCompactors(langchainMessages, {
    ...tuningOf({ ...(trigger && { trigger }), ...(keep && { keep }) }),
    ...rest,
    ...(summarizer && { summarizer }),
  });
  /** The state after a call, by the newest message that the call was for. */
  const states = new WeakMap<object, State>();

  return {
    name: "PrecisMiddleware",
    async wrapModelCall(request, handler) {
      const model = modelNameOf(request.model);
      const newest = request.messages.at(-1);
      const { answer, view } = await sendFitted({
        compactors,
        model,
        transcript: request.messages,
        input: {
          state: (request.state as { readonly precis?: unknown }).precis,
          system: request.systemMessage?.content,
          tools: await Promise.all(request.tools.map(wireOf)),
          thinking: "must-stay",
        },
        onView: (made) => {
          if (newest) states.set(newest, made.state);
          onView?.(made);
        },
        send: async (made) => handler(requestOf(request, made)),
      });
      await learn(compactors.of(model), view, { usage: usageOf(answer) });
      return answer;
    },
    ...(stateSchema !== undefined && {
      stateSchema: stateSchema as never,
      afterModel: ({ messages }: { readonly messages: readonly LangChainMessage[] }) => {
        const state = messages.map((message) => states.get(message)).findLast((found) => found !== undefined);
        return (state && { precis: state }) as never;
      },
    }),
  };
}

/** The request with a view in place of its messages. */
function requestOf<Q extends ModelCallRequest>(
  request: Q,
  { messages, system }: FitResult<LangChainMessage>,
): Q {
  const Human = request.messages.find((message) => typeOf(message) === "human")?.constructor;
  const { systemMessage } = request;
  const isSame = system === undefined || system === systemMessage?.content;
  return {
    ...request,
    messages: messages.map((message) => (isPlain(message) ? made(Human, message) : message)),
    ...(isSame ? {} : { systemMessage: made(systemMessage?.constructor, { content: system }) }),
  };
}

/** precis writes plain messages, which LangChain reads as well; where a class is at hand, they are of that. */
function made(Class: unknown, message: LangChainMessage): LangChainMessage {
  if (typeof Class !== "function" || Class === Object) return message;
  const Message = Class as new (fields: { content: unknown }) => LangChainMessage;
  return new Message({ content: message.content });
}

function isPlain(message: LangChainMessage): boolean {
  return typeOf(message) === undefined;
}

function typeOf(message: LangChainMessage): string | undefined {
  return (message as { getType?: () => string }).getType?.();
}

function modelNameOf(model: unknown): string | undefined {
  const { model: name, modelName } = (model ?? {}) as {
    readonly model?: unknown;
    readonly modelName?: unknown;
  };
  return [name, modelName].find((value) => typeof value === "string");
}

/** A tool as the wire carries it; the rest of it is code. */
async function wireOf(tool: unknown): Promise<unknown> {
  const { name, description, schema } = (tool ?? {}) as Readonly<Record<string, unknown>>;
  return schema === undefined ? tool : { name, description, parameters: await jsonSchemaOf(schema) };
}

function usageOf(answer: unknown): { readonly input: number; readonly output: number } | undefined {
  const usage = (
    answer as { readonly usage_metadata?: { input_tokens?: number; output_tokens?: number } } | null
  )?.usage_metadata;
  return usage?.input_tokens === undefined
    ? undefined
    : { input: usage.input_tokens, output: usage.output_tokens ?? 0 };
}

/** A size in one of three units: tokens, a share of the budget, or messages. */
export type ContextSize =
  | { readonly tokens: number }
  | { readonly fraction: number }
  | { readonly messages: number };

/** When to compact and how much to keep, as `summarizationMiddleware` names them. */
export interface TriggerAndKeep {
  /** When a compaction starts; of several, whichever comes first. Default: when the view is four fifths full. */
  readonly trigger?: ContextSize | readonly ContextSize[];
  /** How much of the newest conversation stays word for word, as far as it fits. Default: precis decides. */
  readonly keep?: ContextSize;
}

/** `trigger` and `keep` as options of a compactor. */
function tuningOf({ trigger, keep }: TriggerAndKeep): Tuning {
  const sizes: readonly ContextSize[] =
    trigger === undefined ? [] : Array.isArray(trigger) ? trigger : [trigger];
  const starts = sizes.flatMap((size) => ("messages" in size ? [] : [pressureOf(size)]));
  const messages = sizes.flatMap((size) => ("messages" in size ? [size.messages] : []));
  if (starts.length > 1) {
    throw new ConfigError({
      option: "trigger",
      message: "it names tokens or a fraction more than once.",
      fix: "Give one of them, and `messages` beside it if you like.",
    });
  }
  return {
    ...(starts[0] !== undefined && { startAt: starts[0] }),
    ...(messages.length > 0 && { triggers: { messages: Math.min(...messages) } }),
    ...(keep && { tail: tailOf(keep) }),
  };
}

function pressureOf(size: Exclude<ContextSize, { readonly messages: number }>): number {
  return "tokens" in size ? size.tokens : size.fraction;
}

/** All of the landing may be tail: what was asked for is kept, as far as there is room. */
function tailOf(keep: ContextSize): TailOptions {
  if ("messages" in keep) return { messages: keep.messages, share: 1 };
  if ("tokens" in keep) return { tokens: keep.tokens, share: 1 };
  return { share: keep.fraction };
}

/** A chat model of LangChain, as far as a summariser needs it. */
export interface LangChainChatModel {
  invoke(input: never, options?: never): Promise<unknown>;
}

/** What a chat model answers. */
interface Answer {
  readonly content?: unknown;
  readonly text?: unknown;
  readonly tool_calls?: readonly unknown[];
  readonly usage_metadata?: { readonly input_tokens?: number; readonly output_tokens?: number };
  readonly response_metadata?: Readonly<Record<string, unknown>>;
}

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  end_turn: "end",
  completed: "end",
  STOP: "end",
  length: "length",
  max_tokens: "length",
  MAX_TOKENS: "length",
  refusal: "refusal",
  content_filter: "refusal",
};

/** Any chat model of LangChain as a summariser. */
export function langchainModel(
  chatModel: LangChainChatModel,
  options: { readonly window?: number } = {},
): Model {
  const named = chatModel as { readonly model?: unknown; readonly modelName?: unknown };
  const id = String(named.model ?? named.modelName ?? "langchain");
  return {
    id,
    ...(options.window !== undefined && { window: options.window }),
    async complete({ system, messages, signal }) {
      const input = [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...messages.map(({ role, text }) => ({ role, content: text })),
      ];
      try {
        return replyOf((await chatModel.invoke(input as never, { signal } as never)) as Answer);
      } catch (error) {
        const tooLong = overflowOfError(error) !== undefined;
        throw new ModelError({
          model: id,
          failure: tooLong ? "too-long" : "network",
          message: `the chat model failed: ${error instanceof Error ? error.message : String(error)}`,
          fix: tooLong ? "Use a model with a larger window." : "Check the chat model's settings.",
          cause: error,
        });
      }
    },
  };
}

function replyOf({ content, text, tool_calls, usage_metadata, response_metadata }: Answer): ModelReply {
  const reason = response_metadata?.["finish_reason"] ?? response_metadata?.["stop_reason"];
  const said = typeof text === "string" ? text : typeof content === "string" ? content : "";
  return {
    text: said,
    // Where no reason is told, the answer counts as whole.
    stop: tool_calls?.length
      ? "tool-call"
      : reason === undefined
        ? "end"
        : (STOPS[String(reason)] ?? "other"),
    usage: { input: usage_metadata?.input_tokens ?? 0, output: usage_metadata?.output_tokens ?? 0 },
  };
}

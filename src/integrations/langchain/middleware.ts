import type { FitResult, Model, State } from "../../core/types.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { learn, sendFitted } from "../shared/send-fitted.ts";
import { jsonSchemaOf } from "../shared/tool-schemas.ts";
import { langchainMessages } from "./dialect.ts";
import { type LangChainChatModel, langchainModel } from "./model.ts";
import { type TriggerAndKeep, tuningOf } from "./settings.ts";
import type { LangChainMessage } from "./wire.ts";

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

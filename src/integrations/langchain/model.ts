import { ModelError } from "../../core/errors.ts";
import type { Model, ModelReply, StopReason } from "../../core/types.ts";
import { overflowOfError } from "../shared/send-fitted.ts";

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

/**
 * Compiles only while the official types are assignable to the wire types: what a host already has can be passed to
 * `fit` as it is. Checked by `npm run types`; nothing here runs.
 */
import type { BetaMessageParam } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type {
  MessageCreateParams,
  MessageParam,
  TextBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelMessage, Prompt, SystemModelMessage } from "ai";
import type { ChatCompletionMessage, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type {
  ResponseCreateParams,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import type { Compactor } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import {
  type AiSdkMessage,
  type AnthropicMessage,
  aiSdk,
  anthropicMessages,
  type ChatMessage,
  openaiResponses,
  type ResponsesItem,
} from "./index.ts";

type Assignable<From extends To, To> = From;

export type Checks = [
  Assignable<ChatCompletionMessageParam, ChatMessage>,
  Assignable<ChatCompletionMessage, ChatMessage>,
  Assignable<ResponseInputItem, ResponsesItem>,
  Assignable<ResponseOutputItem, ResponsesItem>,
  Assignable<MessageParam, AnthropicMessage>,
  Assignable<BetaMessageParam, AnthropicMessage>,
  Assignable<{ role: "system"; content: string | TextBlockParam[] }, AnthropicMessage>,
  Assignable<ModelMessage, AiSdkMessage>,
  Assignable<{ role: "system"; content: SystemModelMessage[] }, AiSdkMessage>,
];

/** What goes in comes out: the host's own type survives `fit`. */
export async function keepsTheHostsType(
  chat: Compactor<ChatMessage>,
  responses: Compactor<ResponsesItem>,
  anthropic: Compactor<AnthropicMessage>,
  sdk: Compactor<AiSdkMessage>,
  transcripts: {
    chat: ChatCompletionMessageParam[];
    responses: ResponseInputItem[];
    anthropic: MessageParam[];
    sdk: ModelMessage[];
  },
): Promise<[ChatCompletionMessageParam[], ResponseInputItem[], MessageParam[], ModelMessage[]]> {
  return [
    (await chat.fit(transcripts.chat)).messages,
    (await responses.fit(transcripts.responses)).messages,
    (await anthropic.fit(transcripts.anthropic)).messages,
    (await sdk.fit(transcripts.sdk)).messages,
  ];
}

/** A system prompt that stands apart can be sent as it comes out. */
export async function keepsTheSystemsType(): Promise<
  [MessageCreateParams["system"], ResponseCreateParams["instructions"], Prompt["system"]]
> {
  const anthropic = await createCompactor({ dialect: anthropicMessages, window: 8_000 }).fit([], {
    system: "Be brief.",
  });
  const responses = await createCompactor({ dialect: openaiResponses, window: 8_000 }).fit([], {
    system: "Be brief.",
  });
  const sdk = await createCompactor({ dialect: aiSdk, window: 8_000 }).fit([], { system: "Be brief." });
  return [anthropic.system, responses.system, sdk.system];
}

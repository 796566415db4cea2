import { type Json, obj, objects, str } from "../json.ts";
import { type Answer, digest } from "./fake-wire.ts";
import { demand, ProviderRefusal } from "./refusals.ts";
import type { FakeBody, FakeFamily } from "./types.ts";

/** How a family of models sends its reasoning, and what it refuses where that doesn't come back. */
interface ReasoningFamily {
  /** Reasoning as fields of a chat message. */
  message(answer: Answer): Json;
  /** More fields of the chat message's tool call at this place. */
  call(answer: Answer, at: number): Json;
  /** Refuses a chat request as the provider does. */
  checkChat(body: FakeBody): void;
  /** Refuses a request on Anthropic's wire as the provider does; undefined where it doesn't speak it. */
  readonly checkMessages?: (body: FakeBody) => void;
  /** What stands where Anthropic has a signature. */
  readonly signature?: (thinking: string) => string;
}

const plain = (answer: Answer): Json =>
  answer.reasoning === "" ? {} : { reasoning_content: answer.reasoning };

/** What stands for the reasoning of an answer where only the provider can read it. */
const sealed = (answer: Answer): string => `sealed.${digest(answer.reasoning, answer.calls)}`;

export const reasoningFamilies: Readonly<Record<FakeFamily, ReasoningFamily>> = {
  deepseek: {
    message: plain,
    call: () => ({}),
    checkChat(body) {
      const refusal = "The reasoning_content in the thinking mode must be passed back to the API.";
      for (const message of thinks(body) ? inTurnsWithCalls(body) : [])
        demand(str(message["reasoning_content"]) !== "", refusal, { code: "invalid_request_error" });
    },
    checkMessages(body) {
      const refusal = "The `content[].thinking` in the thinking mode must be passed back to the API.";
      for (const { content } of thinks(body) ? withToolUse(body) : [])
        demand(content.some(isThought), refusal);
    },
    // DeepSeek signs with ids of its own, which are bound to nothing.
    signature: (thinking) => {
      const hex = [...digest(thinking)]
        .map((letter) => letter.charCodeAt(0).toString(16))
        .join("")
        .padEnd(32, "0");
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        hex.slice(12, 16),
        hex.slice(16, 20),
        hex.slice(20, 32),
      ].join("-");
    },
  },
  kimi: {
    message: plain,
    call: () => ({}),
    checkChat(body) {
      for (const [index, message] of thinks(body) ? objects(body["messages"]).entries() : [])
        demand(
          objects(message["tool_calls"]).length === 0 || str(message["reasoning_content"]) !== "",
          missingAt(index),
        );
    },
    checkMessages(body) {
      for (const { index, content } of thinks(body) ? withToolUse(body) : [])
        demand(content.some(isThought), missingAt(index));
    },
    signature: () => "",
  },
  gemini: {
    message: () => ({}),
    // The first of parallel calls carries the signature of them all.
    call: (answer, at) =>
      at === 0 ? { extra_content: { google: { thought_signature: sealed(answer) } } } : {},
    checkChat(body) {
      for (const { index, message } of callsUnderWay(body)) {
        const [first] = objects(message["tool_calls"]);
        const { thought_signature: signature } = obj(obj(obj(first)["extra_content"])["google"]);
        if (!str(signature).startsWith("sealed.")) throw withoutSignature(first, index);
      }
    },
  },
  openrouter: {
    message: (answer) =>
      answer.reasoning === ""
        ? {}
        : {
            reasoning: answer.reasoning,
            reasoning_details: [
              { type: "reasoning.text", text: answer.reasoning, format: "google-gemini-v1", index: 0 },
              { type: "reasoning.encrypted", data: sealed(answer), format: "google-gemini-v1", index: 0 },
            ],
          },
    call: () => ({}),
    checkChat(body) {
      for (const { index, message } of callsUnderWay(body)) {
        const details = objects(message["reasoning_details"]);
        if (details.some(({ data }) => str(data).startsWith("sealed."))) continue;
        const { message: upstream } = withoutSignature(objects(message["tool_calls"])[0], index);
        throw new ProviderRefusal(
          `Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks. Upstream error: ${upstream}`,
        );
      }
    },
  },
};

const missingAt = (index: number): string =>
  `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`;

const isThought = ({ type }: Json): boolean => type === "thinking" || type === "redacted_thinking";

/** These models think unless a request says otherwise. */
const thinks = (body: FakeBody): boolean => obj(body["thinking"])["type"] !== "disabled";

/** The assistant's messages of every turn in which a tool was called. */
function inTurnsWithCalls(body: FakeBody): Json[] {
  const turns: Json[][] = [[]];
  for (const message of objects(body["messages"])) {
    if (message["role"] === "user") turns.push([]);
    else if (message["role"] === "assistant") turns.at(-1)!.push(message);
  }
  return turns.filter((turn) => turn.some((message) => objects(message["tool_calls"]).length > 0)).flat();
}

function withToolUse(body: FakeBody): { readonly index: number; readonly content: readonly Json[] }[] {
  return objects(body["messages"])
    .map((message, index) => ({ index, content: objects(message["content"]) }))
    .filter(({ content }) => content.some((block) => block["type"] === "tool_use"));
}

/** Messages with calls behind the last user message: Gemini checks the turn that is under way. */
function callsUnderWay(body: FakeBody): { readonly index: number; readonly message: Json }[] {
  const messages = objects(body["messages"]);
  const from = messages.findLastIndex((message) => message["role"] === "user");
  return messages
    .map((message, index) => ({ index, message }))
    .filter(({ index, message }) => index > from && objects(message["tool_calls"]).length > 0);
}

function withoutSignature(call: unknown, position: number): ProviderRefusal {
  const name = str(obj(obj(call)["function"])["name"]);
  return new ProviderRefusal(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
    { type: "INVALID_ARGUMENT" },
  );
}

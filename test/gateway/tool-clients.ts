/** Official clients of the APIs, and what each keeps of an answer, for tests of what happens between two of their messages. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect } from "vitest";

type Json = Readonly<Record<string, unknown>>;

/** Names of tools that no client may be shown. */
const OURS = /precis_(?:recall|compact|load)/;

/** What a client is told of an answer. */
export interface Told {
  readonly text: string;
  readonly calls: readonly string[];
  readonly stop: unknown;
  readonly input: number;
  /** What the client keeps of it, and sends back. */
  readonly kept: readonly unknown[];
  readonly usage: object;
}

export interface ToolClient {
  readonly name: string;
  readonly streamed: boolean;
  say(role: "user" | "assistant", text: string): unknown;
  /** Its tools, as it declares them. */
  tools(functions: readonly Declared[]): readonly unknown[];
  /** The messages that answer all calls of its own tools. */
  results(kept: readonly unknown[], text: string): readonly unknown[];
  ask(messages: readonly unknown[], more?: Json): Promise<Told>;
}

/** The tool of a client that says nothing about its tools. */
export const LOOK = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };

/** A tool of a client. */
export type Declared = Readonly<Record<"name" | "description", string>> & { readonly parameters: object };

interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly id?: string; readonly name: string };
}
interface GeminiChunk {
  readonly candidates?: readonly {
    readonly content: { readonly parts: readonly GeminiPart[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata: { readonly promptTokenCount: number };
  readonly error?: { readonly message: string };
}

/** Clients of a gateway, each with whole answers or with streams. */
export function toolClients(url: () => string) {
  function chatClient(streamed: boolean): ToolClient {
    return {
      name: `chat${streamed ? ", streamed" : ""}`,
      streamed,
      say: (role, content) => ({ role, content }),
      tools: (functions) => functions.map((one) => ({ type: "function", function: one })),
      results(kept, content) {
        const { tool_calls } = kept.at(-1) as { tool_calls: { id: string }[] };
        return tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content }));
      },
      async ask(messages, more = {}) {
        const client = new OpenAI({ baseURL: `${url()}/v1`, apiKey: "k", maxRetries: 0 });
        const body = {
          model: "gpt-4o",
          messages: messages as OpenAI.ChatCompletionMessageParam[],
          tools: [{ type: "function" as const, function: LOOK }],
          ...more,
        };
        const data = streamed
          ? await client.chat.completions
              .stream({ ...body, stream_options: { include_usage: true } })
              .finalChatCompletion()
          : await client.chat.completions.create(body);
        const { message, finish_reason } = data.choices[0]!;
        const calls = message.tool_calls ?? [];
        const { parsed: _, ...kept } = message as typeof message & { parsed?: unknown };
        return {
          text: message.content ?? "",
          calls: calls.flatMap((call) => (call.type === "function" ? call.function.name : [])),
          stop: finish_reason,
          input: data.usage!.prompt_tokens,
          kept: [
            {
              role: "assistant",
              content: kept.content,
              ...(calls.length > 0 && {
                tool_calls: calls.map((call) =>
                  call.type === "function"
                    ? {
                        id: call.id,
                        type: "function",
                        function: { name: call.function.name, arguments: call.function.arguments },
                      }
                    : call,
                ),
              }),
            },
          ],
          usage: data.usage!,
        };
      },
    };
  }

  function messagesClient(streamed: boolean, thinks = false): ToolClient {
    return {
      name: `messages${thinks ? ", thinking" : ""}${streamed ? ", streamed" : ""}`,
      streamed,
      say: (role, content) => ({ role, content }),
      tools: (functions) => functions.map(({ parameters, ...one }) => ({ ...one, input_schema: parameters })),
      results(kept, content) {
        const parts = (kept.at(-1) as { content: { type: string; id: string }[] }).content;
        const calls = parts.filter(({ type }) => type === "tool_use");
        return [
          {
            role: "user",
            content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content })),
          },
        ];
      },
      async ask(messages, more = {}) {
        const client = new Anthropic({ baseURL: url(), apiKey: "k", maxRetries: 0 });
        const body = {
          model: "claude-opus-5",
          max_tokens: 2_000,
          messages: messages as Anthropic.MessageParam[],
          tools: [
            { name: LOOK.name, description: LOOK.description, input_schema: { type: "object" as const } },
          ],
          ...(thinks && { thinking: { type: "enabled" as const, budget_tokens: 1_024 } }),
          ...more,
        };
        const data = streamed
          ? await client.messages.stream(body).finalMessage()
          : await client.messages.create(body);
        const { content, stop_reason, usage } = data as Anthropic.Message;
        return {
          text: content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n\n"),
          calls: content.flatMap((part) => (part.type === "tool_use" ? part.name : [])),
          stop: stop_reason,
          input:
            usage.input_tokens +
            (usage.cache_read_input_tokens ?? 0) +
            (usage.cache_creation_input_tokens ?? 0),
          kept: [{ role: "assistant", content: content.map((part) => ({ ...part })) }],
          usage,
        };
      },
    };
  }

  function responsesClient(streamed: boolean, more: Json = {}): ToolClient {
    return {
      name: `responses${"store" in more ? ", nothing stored upstream" : ""}${streamed ? ", streamed" : ""}`,
      streamed,
      say: (role, content) => ({ role, content }),
      tools: (functions) => functions.map((one) => ({ type: "function", strict: false, ...one })),
      results: (kept, output) =>
        (kept as readonly Json[])
          .filter(({ type }) => type === "function_call")
          .map(({ call_id }) => ({ type: "function_call_output", call_id, output })),
      async ask(input, asked = {}) {
        const client = new OpenAI({ baseURL: `${url()}/v1`, apiKey: "k", maxRetries: 0 });
        const body = {
          model: "gpt-5",
          input: input as OpenAI.Responses.ResponseInput,
          tools: [{ type: "function" as const, strict: false, ...LOOK }],
          ...more,
          ...asked,
        };
        const data = streamed
          ? await client.responses.stream(body).finalResponse()
          : await client.responses.create(body);
        const { output, usage, status } = data as OpenAI.Responses.Response;
        expect(JSON.stringify(data)).not.toMatch(OURS);
        return {
          text: output
            .flatMap((item) => (item.type === "message" ? item.content : []))
            .flatMap((part) => (part.type === "output_text" ? part.text : []))
            .join("\n\n"),
          calls: output.flatMap((item) => (item.type === "function_call" ? item.name : [])),
          stop: status,
          input: usage!.input_tokens,
          kept: output.map((item) => {
            const { parsed_arguments: _, ...rest } = item as typeof item & { parsed_arguments?: unknown };
            if (rest.type !== "message") return rest;
            return { ...rest, content: rest.content.map((part) => ({ ...part, parsed: undefined })) };
          }),
          usage: usage!,
        };
      },
    };
  }

  function geminiClient(streamed: boolean, model: string): ToolClient {
    return {
      name: `${model}${streamed ? ", streamed" : ""}`,
      streamed,
      say: (role, text) => ({ role: role === "user" ? "user" : "model", parts: [{ text }] }),
      tools: (functions) => [
        {
          functionDeclarations: functions.map(({ parameters, ...one }) => ({
            ...one,
            parametersJsonSchema: parameters,
          })),
        },
      ],
      results(kept, output) {
        const calls = (kept.at(-1) as { parts: readonly GeminiPart[] }).parts.flatMap(
          ({ functionCall }) => functionCall ?? [],
        );
        return [
          {
            role: "user",
            parts: calls.map((call) => ({
              functionResponse: { ...call, args: undefined, response: { output } },
            })),
          },
        ];
      },
      async ask(contents, more = {}) {
        const method = streamed ? "streamGenerateContent?alt=sse" : "generateContent";
        const response = await fetch(`${url()}/v1beta/models/${model}:${method}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-goog-api-key": "k" },
          body: JSON.stringify({
            contents,
            tools: [{ functionDeclarations: [{ ...LOOK, parameters: undefined }] }],
            ...more,
          }),
        });
        const raw = await response.text();
        if (!response.ok) throw new Error(raw);
        expect(raw).not.toMatch(OURS);
        const chunks = (
          streamed
            ? raw
                .split("\n\n")
                .filter(Boolean)
                .map((event) => event.slice("data: ".length))
            : [raw]
        ).map((text) => JSON.parse(text) as GeminiChunk);
        const broken = chunks.find(({ error }) => error);
        if (broken) throw new Error(broken.error!.message);
        const candidates = chunks.flatMap(({ candidates }) => candidates ?? []);
        const parts = candidates.flatMap(({ content }) => content.parts);
        return {
          text: parts.flatMap(({ text, thought }) => (thought ? [] : (text ?? ""))).join(""),
          calls: parts.flatMap(({ functionCall }) => functionCall?.name ?? []),
          stop: candidates.flatMap(({ finishReason }) => finishReason ?? []).join(),
          input: chunks.at(-1)!.usageMetadata.promptTokenCount,
          kept: [{ role: "model", parts: parts.filter(({ text }) => text !== "") }],
          usage: chunks.at(-1)!.usageMetadata,
        };
      },
    };
  }

  function ollamaClient(streamed: boolean): ToolClient {
    interface Line {
      readonly message: {
        readonly content: string;
        readonly thinking?: string;
        readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
      };
      readonly done_reason?: string;
      readonly prompt_eval_count?: number;
    }
    return {
      name: `ollama${streamed ? ", streamed" : ""}`,
      streamed,
      say: (role, content) => ({ role, content }),
      tools: (functions) => functions.map((one) => ({ type: "function", function: one })),
      results: (kept, content) =>
        ((kept.at(-1) as Line["message"]).tool_calls ?? []).map((call) => ({
          role: "tool",
          tool_name: call.function.name,
          content,
        })),
      async ask(messages, more = {}) {
        const response = await fetch(`${url()}/ollama/api/chat`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ model: "qwen3", messages, stream: streamed, ...more }),
        });
        const raw = await response.text();
        if (!response.ok) throw new Error(raw);
        expect(raw).not.toMatch(OURS);
        const lines = raw
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Line);
        const text = lines.map(({ message }) => message.content).join("");
        const tool_calls = lines.flatMap(({ message }) => message.tool_calls ?? []);
        return {
          text,
          calls: tool_calls.map((call) => call.function.name),
          stop: lines.at(-1)!.done_reason,
          input: lines.at(-1)!.prompt_eval_count!,
          kept: [{ role: "assistant", content: text, ...(tool_calls.length > 0 && { tool_calls }) }],
          usage: {},
        };
      },
    };
  }

  return { chatClient, messagesClient, responsesClient, geminiClient, ollamaClient };
}

import { afterEach, describe, expect, it } from "vitest";
import {
  type FakeFamily,
  type FakeProvider,
  type FakeRequest,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";

/** Providers that refuse a call without the reasoning that led to it, by the name of a model and the APIs they speak. */
const FAMILIES: readonly {
  readonly family: FakeFamily;
  readonly model: string;
  readonly apis: readonly Api[];
}[] = [
  { family: "deepseek", model: "deepseek-v4-pro", apis: ["chat", "messages"] },
  { family: "kimi", model: "moonshotai/Kimi-K2.6", apis: ["chat", "messages"] },
  { family: "gemini", model: "gemini-3-pro-preview", apis: ["chat"] },
  { family: "openrouter", model: "google/gemini-3-pro-preview", apis: ["chat"] },
  // Names that nobody knows, or that stand for another model.
  { family: "deepseek", model: "house-model", apis: ["chat", "messages"] },
  { family: "deepseek", model: "claude-sonnet-4-5", apis: ["messages"] },
];
type Api = "chat" | "messages";

const WINDOW = 12_000;
const ROUNDS = 30;
/** After so many rounds the user says something new, so that there are calls of earlier turns. */
const NEW_TURN = 12;
const RESULT = "the file says that this and that was done ".repeat(40);

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

type Json = Record<string, unknown>;
interface Client {
  readonly path: string;
  readonly history: Json[];
  body(): Json;
  /** Takes the answer into the history, and answers its calls. */
  take(answer: Json, round: number): void;
}

function chatClient(model: string): Client {
  const history: Json[] = [{ role: "user", content: "Work on PRE-4711." }];
  const parameters = { type: "object", properties: { path: { type: "string" } } };
  return {
    path: "/v1/chat/completions",
    history,
    body: () => ({
      model,
      messages: history,
      tools: [{ type: "function", function: { name: "read_file", parameters } }],
    }),
    take(answer, round) {
      const [{ message }] = answer["choices"] as [{ message: Json }];
      const { refusal: _, annotations: __, ...said } = message;
      const [call] = said["tool_calls"] as [{ id: string }];
      history.push(said, { role: "tool", tool_call_id: call.id, content: `${round}: ${RESULT}` });
    },
  };
}

function messagesClient(model: string): Client {
  const history: Json[] = [{ role: "user", content: "Work on PRE-4711." }];
  const input_schema = { type: "object", properties: { path: { type: "string" } } };
  return {
    path: "/v1/messages",
    history,
    body: () => ({
      model,
      max_tokens: 2_000,
      thinking: { type: "enabled", budget_tokens: 1_100 },
      messages: history,
      tools: [{ name: "read_file", input_schema }],
    }),
    take(answer, round) {
      const content = answer["content"] as Json[];
      const id = content.find((part) => part["type"] === "tool_use")!["id"];
      const result = { type: "tool_result", tool_use_id: id, content: `${round}: ${RESULT}` };
      history.push({ role: "assistant", content }, { role: "user", content: [result] });
    },
  };
}

const client = { chat: chatClient, messages: messagesClient };

describe.each(FAMILIES)("$family as $model", ({ family, model, apis }) => {
  it.each(apis)("takes every view of a long task (%s)", async (api) => {
    provider = await startFakeProvider({
      window: 1_000_000,
      family,
      reply: summarizingReply({
        when: ({ tools, lastUser }: FakeRequest) => tools.length === 0 || /<\/?summary>/i.test(lastUser),
        otherwise: ({ number }) => ({
          reasoning: `I need part ${number}, because of this and that. `.repeat(4),
          calls: [{ name: "read_file", args: { path: `src/part-${number}.ts` } }],
        }),
      }),
    });
    gateway = await startGateway({ ...upstreamAt(provider.url), window: WINDOW, summarizer: "same" });
    const { path, history, body, take } = client[api](model);
    const actions: (string | null)[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      if (round === NEW_TURN) {
        if (api === "chat") history.push({ role: "user", content: "Go on with the next part." });
        else (history.at(-1)!["content"] as Json[]).push({ type: "text", text: "Go on with the next part." });
      }
      const response = await fetch(gateway.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: JSON.stringify(body()),
      });
      expect(response.status, await response.clone().text()).toBe(200);
      actions.push(response.headers.get("x-precis-action"));
      take((await response.json()) as Json, round);
    }
    // The gateway's own requests for summaries are refused for the same reason as the client's.
    expect(provider.requests.filter(({ error }) => error !== undefined)).toEqual([]);
    // Switching thinking off would be no answer to a provider that only wants its reasoning back.
    const asked = provider.requests.filter(({ body: sent }) => sent["tools"] !== undefined);
    for (const request of asked) expect(request.body["thinking"]).toEqual(body()["thinking"]);
    expect(actions).toContain("compacted");
    expect(actions).toContain("view");
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type FakeProvider,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";
import { byProof } from "../support/proof.ts";
import { type Conversation, createTalk } from "./conversation.ts";
import { hasSchemas, officialSchemas } from "./official-schemas.ts";
import { createRandom } from "./random.ts";
import { writeWire } from "./wires.ts";

/** Everything that precis sends or answers by itself, by the schemas that the providers publish. */
if (!hasSchemas) console.log("skipped: no data");

const TURNS = byProof({ sample: 12, more: 60, all: 400 });
const WINDOW = 4_000;
/** Compactions that a run must have seen to prove anything. */
const LEAST_CHANGED = 3;

interface Api {
  readonly name: string;
  readonly dialect: string;
  readonly path: string;
  readonly document: "openai" | "anthropic";
  readonly request: string;
  body(wire: { readonly messages: object[]; readonly system?: string }): object;
}

const APIS: readonly Api[] = [
  {
    name: "chat",
    dialect: "openai-chat",
    path: "/v1/chat/completions",
    document: "openai",
    request: "CreateChatCompletionRequest",
    body: ({ messages }) => ({ model: "gpt-4o", messages }),
  },
  {
    name: "responses",
    dialect: "openai-responses",
    path: "/v1/responses",
    document: "openai",
    request: "CreateResponse",
    body: ({ messages, system }) => ({
      model: "gpt-4o",
      store: false,
      input: messages,
      ...(system !== undefined && { instructions: system }),
    }),
  },
  {
    name: "messages",
    dialect: "anthropic-messages",
    path: "/v1/messages",
    document: "anthropic",
    request: "CreateMessageParams",
    body: ({ messages, system }) => ({
      model: "claude-opus-5",
      max_tokens: 500,
      messages,
      ...(system !== undefined && { system }),
    }),
  },
];

const HEADERS = { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" };

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  provider = await startFakeProvider({
    window: 1_000_000,
    reply: summarizingReply({ otherwise: "Understood." }),
    unknownFields: "ignore",
  });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const post = (path: string, body: object): Promise<Response> =>
  fetch(gateway.url + path, { method: "POST", headers: HEADERS, body: JSON.stringify(body) });

/** The conversation up to one of its turns, as a client sends it when that turn begins. */
const upTo = ({ system, turns }: Conversation, count: number): Conversation => ({
  system,
  turns: turns
    .slice(0, count)
    .map((turn, at) => (at === count - 1 ? { ...turn, rounds: [], answer: undefined } : turn)),
});

/** OpenAI has no field for reasoning in chat messages, and the fake provider takes no signature but its own. */
const withoutThoughts = (conversation: Conversation): Conversation => ({
  ...conversation,
  turns: conversation.turns.map((turn) => ({
    ...turn,
    rounds: turn.rounds.map((round) => ({ ...round, think: undefined })),
  })),
});

describe.skipIf(!hasSchemas).each(APIS)("$name", ({ dialect, path, document, request, body }) => {
  it.each(["extractive", "model"])("every request to the upstream (summaries: %s)", async (how) => {
    gateway = await startGateway({
      ...upstreamAt(provider.url),
      window: WINDOW,
      summarizer: how === "model" ? { model: "summariser" } : "extractive",
    });
    const talk = createTalk(createRandom(dialect.length));
    const made = talk.conversation({ turns: TURNS });
    const conversation = dialect === "openai-responses" ? made : withoutThoughts(made);
    let changed = 0;
    for (let count = 1; count <= conversation.turns.length; count++) {
      const asked = body(writeWire(dialect, upTo(conversation, count)));
      expect(
        officialSchemas(document).check(request, asked, { closed: true }),
        "the client's own request",
      ).toEqual([]);
      const response = await post(path, asked);
      expect(response.status, await response.text()).toBe(200);
      if (response.headers.get("x-precis-action") !== "pass") changed++;
    }
    expect(changed).toBeGreaterThanOrEqual(LEAST_CHANGED);
    for (const { api, body: sent } of provider.requests) {
      const { document, request } = APIS.find(({ name }) => name === api)!;
      expect(officialSchemas(document).check(request, sent, { closed: true })).toEqual([]);
    }
  });
});

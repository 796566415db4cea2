import type {
  ApiConversation,
  ApiMessage,
  ChatEvent,
  Divider,
  LiveEvent,
  TimelineEvent,
} from "../../../../src/gateway/api.ts";
import type { Api } from "../api-client.ts";

export const CONVERSATION = {
  id: "c",
  title: "Talk",
  messages: 0,
  updatedAt: 1,
  busy: undefined,
  settings: {},
  pins: [],
  model: "m",
  client: "curl",
} as unknown as ApiConversation;
export const PRESSURE = { pressure: 0.1, tokens: 10, budget: { budget: 100 } };

/** A server of which the test says what it answers. */
export function fakeServer() {
  const asked: string[] = [];
  const server = {
    asked,
    conversation: CONVERSATION,
    messages: [] as ApiMessage[],
    events: [] as TimelineEvent[],
    dividers: [] as Divider[],
    pressure: (): unknown => PRESSURE,
    /** Events of the next stream; an error ends it as a lost connection does, and it goes on when a promise is kept. */
    stream: [] as (ChatEvent | Error | Promise<void>)[],
    fails: undefined as Error | undefined,
    outcome: "compacted",
    /** What was asked to be changed of the conversation. */
    changes: [] as unknown[],
    /** What streams were asked for with. */
    bodies: [] as unknown[],
    api: {} as Api,
  };
  const answers: Readonly<Record<string, () => unknown>> = {
    "/api/conversations/:id": () => server.conversation,
    "/api/conversations/:id/messages": () => ({
      from: 0,
      total: server.messages.length,
      leaf: server.conversation.leaf,
      system: "",
      lead: 0,
      messages: server.messages,
      dividers: server.dividers,
    }),
    "/api/conversations/:id/pressure": () => server.pressure(),
    "/api/conversations/:id/timeline": () => ({ events: server.events }),
    "/api/conversations/:id/compact": () => ({ outcome: server.outcome, report: undefined }),
    "/api/conversations/:id/branch": () => server.conversation,
    "/api/conversations/:id/stop": () => ({ ok: true }),
  };
  server.api = {
    call: async (route, options) => {
      asked.push(`${route.method} ${route.path}`);
      if (route.method === "PATCH") server.changes.push(options?.body);
      if (server.fails) throw server.fails;
      return answers[route.path]?.() as never;
    },
    async *stream(route, options) {
      asked.push(`${route.method} ${route.path}`);
      server.bodies.push(options?.body);
      for (const event of server.stream) {
        if (event instanceof Error) throw event;
        if (event instanceof Promise) await event;
        else yield { id: undefined, event: event as never };
      }
    },
  };
  return server;
}

export const message = (index: number, role: "user" | "assistant", text: string) =>
  ({
    index,
    hash: `${index} ${text}`,
    role,
    parts: [{ type: "text", text }],
    at: 2,
    fate: { type: "kept" },
  }) as unknown as ApiMessage;
export const told = (changes: Partial<ApiConversation>): LiveEvent => ({
  type: "conversation",
  change: "changed",
  conversation: { ...CONVERSATION, ...changes },
});

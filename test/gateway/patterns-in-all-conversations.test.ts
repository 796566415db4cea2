import { afterAll, beforeAll, expect, it } from "vitest";
import { pastOf } from "../../src/gateway/conversation/past.ts";
import { hitsText } from "../../src/gateway/mcp/create-mcp-server.ts";
import { openStore, type ServerStore } from "../../src/stores/server.ts";
import { countTurns } from "../support/count-turns.ts";

const CONVERSATIONS = 12;
const SLOW = "(?:a?){200}(?:a?){200}(?:a?){200}b";

let store: ServerStore;
let read: string[] = [];

beforeAll(async () => {
  store = openStore("memory");
  for (let n = 0; n < CONVERSATIONS; n++)
    await store.conversations.append("t", {
      session: `s${n}`,
      dialect: "openai-chat",
      at: n,
      messages: Array.from({ length: 3 }, (_, at) => ({
        hash: `${n} ${at}`,
        role: "user" as const,
        wire: JSON.stringify({ role: "user", content: "a".repeat(1_500) }),
        tokens: 10,
        at: n,
      })),
    });
});
afterAll(() => store.close());

function watched(): Pick<ServerStore, "conversations" | "recallIndex"> {
  read = [];
  const { conversations } = store;
  return {
    recallIndex: store.recallIndex.bind(store),
    conversations: {
      ...conversations,
      read: (tenant, id, range) => {
        read.push(id);
        return conversations.read(tenant, id, range);
      },
    },
  };
}

it("a pattern that takes too long everywhere isn't looked for everywhere, leaves others their turns, and it is said", async () => {
  let found: Awaited<ReturnType<ReturnType<typeof pastOf>["search"]>> | undefined;
  const turns = await countTurns(async () => {
    found = await pastOf(watched(), "t").search(SLOW, { regex: true });
  });
  expect(found).toEqual({ hits: [], partial: true });
  expect(new Set(read).size).toBeLessThan(CONVERSATIONS);
  expect(turns).toBeGreaterThan(3);
  expect(hitsText(found!)).toContain("not everything was searched");
});

it("one that doesn't is looked for in all of them", async () => {
  expect(await pastOf(watched(), "t").search("ab+", { regex: true })).toEqual({ hits: [] });
  expect(new Set(read).size).toBe(CONVERSATIONS);
});

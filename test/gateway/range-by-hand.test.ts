/** A person compacts a part of a stored conversation: places in the API don't count leading system messages. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "./api-support.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

let provider: FakeProvider;
let serve: ServeHere;
const { call, raw } = apiOf(() => serve.url);

beforeAll(async () => {
  provider = await startFakeProvider({
    window: 100_000,
    reply: summarizingReply({ otherwise: "The answer is 42." }),
  });
  serve = await serveHere(["--upstream", provider.url, "--window", "100000"]);
});
afterAll(async () => {
  await serve?.stop();
  await provider?.close();
});

let made = 0;
/** Ten turns of about 300 tokens, behind a system prompt. */
async function chatOfTen(): Promise<string> {
  made += 1;
  const messages = Array.from({ length: 10 }, (_, turn) => [
    { role: "user", content: `Chat ${made}, question ${turn}: ${"what of the garden gate? ".repeat(20)}` },
    {
      role: "assistant",
      content: `Chat ${made}, answer ${turn}: the gate is ${turn} m wide. ${"It stands. ".repeat(30)}`,
    },
  ]).flat();
  const { conversations } = await call(routes.importFile, {
    body: {
      name: "gate.json",
      text: JSON.stringify([{ role: "system", content: "Be brief." }, ...messages]),
    },
  });
  const { id } = conversations[0]!;
  await call(routes.changeConversation, { params: { id }, body: { model: "gpt-4o" } });
  return id;
}

const coveredIn = async (id: string) =>
  (await call(routes.messages, { params: { id } })).messages.flatMap(({ index, fate }) =>
    fate.type === "covered" ? [index] : [],
  );

it("up to a message, and a range between two others", async () => {
  const id = await chatOfTen();
  const upTo = await call(routes.compact, { params: { id }, body: { upTo: 4 } });
  expect(upTo.outcome).toBe("compacted");
  expect(await coveredIn(id)).toEqual([0, 1, 2, 3]);
  const range = await call(routes.compact, { params: { id }, body: { range: { from: 8, to: 12 } } });
  expect(range.report?.warnings).toEqual([]);
  expect(await coveredIn(id)).toEqual([0, 1, 2, 3, 8, 9, 10, 11]);
  const undone = await call(routes.undoCompaction, { params: { id } });
  expect(undone.outcome).toBe("undone");
  expect(await coveredIn(id)).toEqual([0, 1, 2, 3]);
});

it("what can't be hidden is refused with the reason, and nothing changes", async () => {
  const id = await chatOfTen();
  const refused = await call(routes.compact, { params: { id }, body: { range: { from: 18, to: 19 } } });
  expect(refused.outcome).toBe("nothing-to-gain");
  expect(refused.report?.warnings[0]).toMatchObject({ code: "range-refused" });
  expect(await coveredIn(id)).toEqual([]);
});

it.each([{ upTo: 21 }, { upTo: 0 }, { range: { from: 5, to: 5 } }, { upTo: 3, range: { from: 0, to: 3 } }])(
  "%j names no messages",
  async (body) => {
    const response = await raw(routes.compact, { params: { id: await chatOfTen() }, body });
    expect(response.status).toBe(400);
  },
);

it("an edited summary of a range hides no more than the range", async () => {
  const id = await chatOfTen();
  await call(routes.compact, { params: { id }, body: { range: { from: 6, to: 14 } } });
  const { summaries } = await call(routes.summaries, { params: { id } });
  expect(summaries.map(({ covers }) => covers)).toEqual([{ from: 6, to: 14 }]);
  await call(routes.editSummary, {
    params: { id, key: summaries[0]!.key },
    body: { text: "The gate grows to ZEBRA width." },
  });
  expect(await coveredIn(id)).toEqual([6, 7, 8, 9, 10, 11, 12, 13]);
  const { body } = await call(routes.request, { params: { id } });
  expect(JSON.stringify(body)).toContain("ZEBRA");
});

import { expect, it } from "vitest";
import { openaiResponses, type ResponsesItem } from "../../src/apis/index.ts";
import { structureOf } from "../../src/core/rounds.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";

const call = (id: string, name: string): ResponsesItem => ({
  type: "function_call",
  call_id: id,
  name,
  arguments: "{}",
});
const output = (fields: Partial<ResponsesItem>): ResponsesItem => ({
  type: "function_call_output",
  output: "done",
  ...fields,
});

function pairsOf(items: readonly ResponsesItem[]) {
  const { pairs, faults, units } = structureOf(items.map((item) => openaiResponses.read(item)));
  return { pairs: pairs.map(({ call: from, result }) => [from.index, result.index]), faults, units };
}

it("an output without `call_id` answers the oldest open call", () => {
  const { pairs, faults } = pairsOf([call("a", "f"), call("b", "g"), output({}), output({ id: "fco_1" })]);
  expect(pairs).toEqual([
    [0, 2],
    [1, 3],
  ]);
  expect(faults).toEqual([]);
});

it("an output with a name answers the oldest open call of that name", () => {
  const { pairs } = pairsOf([
    call("a", "f"),
    call("b", "g"),
    output({ name: "g" }),
    output({ call_id: "a" }),
  ]);
  expect(pairs).toEqual([
    [1, 2],
    [0, 3],
  ]);
});

it("an output that answers nothing stands by itself, and is no orphan", () => {
  const { faults, units } = pairsOf([{ role: "user", content: "Hello." }, output({ name: "notify" })]);
  expect(faults).toEqual([]);
  expect(units).toHaveLength(2);
});

it("the gateway compacts a conversation with such an output instead of standing down", async () => {
  const provider = await startFakeProvider({ window: 100_000, unknownFields: "ignore" });
  const gateway = await startGateway({
    ...upstreamAt(provider.url),
    window: 8_000,
    summarizer: "extractive",
  });
  try {
    const talk = Array.from({ length: 60 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `m${n} ${"please say more. ".repeat(50)}`,
    }));
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "gpt-4o",
        input: [...talk, output({ name: "notify" }), { role: "user", content: "And now?" }],
      }),
    });
    expect(response.headers.get("x-precis-action")).toBe("compacted");
  } finally {
    await gateway.close();
    await provider.close();
  }
});

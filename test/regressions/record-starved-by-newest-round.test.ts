/** In a small budget the round that the model hadn't answered took nearly everything, and an agent forgot what it had done. */
import { describe, expect, it } from "vitest";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { measure } from "../support/count.ts";
import { dialectOf } from "../support/dialects.ts";
import { sourceFile } from "../support/tool-loop.ts";

const dialect = dialectOf("openai-chat");
const tokens = (text: string): number => measure.text(text);
const round = (number: number, size: number): object[] =>
  chat.round("read_file", { path: `src/${number}.ts` }, sourceFile(`${number}`, size), `call_${number}`);
const turn = (number: number): object[] => [
  chat.user(`Please look into part ${number} of the importer.`),
  ...round(number, 2_500),
  chat.assistant(`Part ${number} loses rows because reader ${number} closes its file too early.`),
];
/** About 100,000 tokens of work. */
const session = [chat.system("You are careful."), ...Array.from({ length: 40 }, (_, at) => turn(at)).flat()];
const written = sourceFile("new", 2_200);

const NEWEST = {
  "a large result": round(99, 2_300),
  "a file that the model wrote": chat.round(
    "write_file",
    { path: "a.ts", content: written },
    "Created.",
    "c",
  ),
  "ten results of a page each": [
    ...chat.calls(
      Array.from({ length: 10 }, (_, at) => ({ id: `p${at}`, name: "fetch", args: { page: at } })),
    ),
    ...chat.results(
      Array.from({ length: 10 }, (_, at) => ({
        id: `p${at}`,
        name: "fetch",
        text: sourceFile(`${at}`, 2_000),
      })),
    ),
  ],
};

describe.each(Object.entries(NEWEST))("%s", (_, newest) => {
  it.each([2_400, 3_600])("leaves the record of a long session room in %i tokens", async (budget) => {
    const transcript = [...session, chat.user("Now mend all of them."), ...newest];
    const compactor = createCompactor<object>({ dialect, budget });
    const { messages, report } = await compactor.compact(transcript, { budget });
    const texts = messages.map((message) =>
      dialect
        .read(message)
        .parts.map((part) => ("text" in part ? part.text : ""))
        .join(""),
    );
    const record = texts.find((text) => text.includes("<conversation-summary>"))!;
    expect(report.tokens.after).toBeLessThanOrEqual(budget);
    expect(tokens(record)).toBeGreaterThan(budget / 2.5);
    expect(record.match(/loses rows because reader \d+ closes/g)!.length).toBeGreaterThan(20);
  });
});

it("gives way in small budgets only", async () => {
  const newest = round(99, 21_000);
  const transcript = [...session, chat.user("Now mend all of them."), ...newest];
  const compactor = createCompactor<object>({ dialect, window: 32_000 });
  const { messages } = await compactor.fit(transcript);
  expect(messages.slice(-2)).toEqual(newest);
});

import { expect, test } from "vitest";
import { agentCase, say, user } from "../../test/support/eval-cases.ts";
import { reportText } from "../cli/report-text.ts";
import { charsCounter } from "../tokens/index.ts";
import { keepLast } from "./contestants.ts";
import { retentionReport, runRetention } from "./retention.ts";
import type { Contestant, EvalSet } from "./types.ts";

const look = { columns: 80, paint: (_: string, text: string) => text };
const filler = say("nothing of interest ".repeat(20));
const anchors = [{ text: "loadConfig", old: true, neighbours: [] }];
const cases = ["s1", "s2"].map((session) =>
  agentCase([user("please fix loadConfig"), filler, filler, say("newest words")], [], { session, anchors }),
);
const set: EvalSet = { id: "tiny/cuts", type: "agent", budgets: "shares", sessions: 2, cases: () => cases };

const firstMessage: Contestant = {
  id: "first",
  label: "first message",
  view: ({ messages }) => messages[0]!.content,
};
const broken: Contestant = {
  id: "broken",
  label: "broken",
  view: () => {
    throw new Error("no view today");
  },
};

test("a run scores every contestant at every budget and compares the first with the others", async () => {
  const result = await runRetention({
    sets: [set],
    contestants: [firstMessage, keepLast],
    counter: charsCounter(),
    shares: [0.1, 1],
  });
  const [tiny] = result.sets;
  expect(tiny?.rows.map((row) => [row.contestant, row.budget, row.measures["naar"]?.mean])).toEqual([
    ["first", "10 %", 1],
    ["keep-last", "10 %", 0],
    ["first", "100 %", 1],
    ["keep-last", "100 %", 1],
  ]);
  expect(tiny?.differences[0]).toMatchObject({ contestant: "first", against: "keep-last", budget: "10 %" });
  expect(tiny?.differences[0]?.measures["naar"]).toMatchObject({ mean: 1, low: 1, high: 1 });
});

test("a contestant that does the same as another everywhere is named instead of shown", async () => {
  const twin: Contestant = { ...keepLast, id: "twin", label: "twin" };
  const options = { sets: [set], counter: charsCounter(), shares: [0.1, 1] };
  const result = await runRetention({ ...options, contestants: [firstMessage, keepLast, twin] });
  const table = reportText(retentionReport(result), look);
  expect(table).toContain(`twin: the same figures as ${keepLast.label}`);
  expect(table.match(/^twin /gm)).toBeNull();
});

test("a view that is too large is counted, and a contestant that throws scores nothing and is named", async () => {
  const tooLarge: Contestant = { id: "large", label: "large", view: () => "word ".repeat(1_000) };
  const result = await runRetention({
    sets: [set],
    contestants: [tooLarge, broken],
    counter: charsCounter(),
    shares: [0.1],
  });
  expect(result.sets[0]?.rows[0]).toMatchObject({ over: 2, failed: 0 });
  expect(result.sets[0]?.rows[1]).toMatchObject({ failed: 2, measures: { naar: { mean: 0 } } });
  expect(reportText(retentionReport(result), look)).toContain("2 failed: no view today");
});

test("the table has a line per contestant and budget, intervals on request", async () => {
  const result = await runRetention({
    sets: [set],
    contestants: [keepLast],
    counter: charsCounter(),
    shares: [1],
  });
  expect(reportText(retentionReport(result), look)).toMatch(/keep last +100 % +100\.0/);
  expect(reportText(retentionReport(result), { ...look, ranges: true })).toContain("100.0 [100.0, 100.0]");
});

test("a contestant that throws on some cases scores nothing there, and the table says what it has elsewhere", async () => {
  let turn = 0;
  const moody: Contestant = {
    id: "moody",
    label: "moody",
    view: (input) => (turn++ % 2 === 0 ? firstMessage.view(input) : broken.view(input)),
  };
  const result = await runRetention({
    sets: [set],
    contestants: [moody],
    counter: charsCounter(),
    shares: [0.5],
  });
  expect(result.sets[0]?.rows[0]).toMatchObject({
    failed: 1,
    measures: { naar: { mean: 0.5 } },
    otherwise: { naar: { mean: 1, cases: 1 } },
  });
  expect(reportText(retentionReport(result), look)).toMatch(/without 1 that failed +50 % +100\.0/);
});

/** A summary that is ready some rounds after it was asked for is checked against what those rounds used. */
import { expect, it } from "vitest";
import type { ModelRequest } from "../../src/core/types.ts";
import { chat } from "../../src/testing/index.ts";
import { gatedModel } from "./gated-model.ts";
import { createStage } from "./stage.ts";

const PATH = "src/billing/half-even.ts";
const ID = "INV-20417";
/** So long that no more than some of its lines find room in a summary. */
const LISTING = Array.from({ length: 300 }, (_, n) =>
  n === 150
    ? `${PATH}: rounds sums to cents, half to even`
    : n === 200
      ? `last used for ${ID}, which was off by a cent`
      : `src/shop/part-${n}.ts: does work number ${n} of the shop in its own way`,
).join("\n");

const read = (path: string, id: string) => chat.call("read_file", { path }, id);

/** A talk whose first part names a file and an invoice in passing, and whose rounds after the question for a summary use them. */
async function applied(record: (request: ModelRequest) => string, path = PATH) {
  const model = gatedModel({ state: "held", reply: (request) => record(request) });
  const stage = createStage({ summarizer: model });
  const { transcript } = stage;
  transcript.push(chat.user("Which files are there?"));
  transcript.push(chat.assistant(LISTING));
  await stage.fillTo(0.81);
  const { background } = await stage.fit();
  expect(model.requests).toHaveLength(1);
  transcript.push(read(path, "c2"));
  transcript.push(chat.result("c2", "export const halfEven = (sum: number) => Math.round(sum);"));
  transcript.push(chat.assistant("It rounds."));
  transcript.push(chat.user(`And what was wrong with ${ID}?`));
  model.release();
  stage.state = await background;
  const state = stage.state;
  const { report, messages } = await stage.fit();
  expect(report.outcome).toBe("compacted");
  const insert = report.entries.find((entry) => entry.type === "insert");
  const text = insert?.type === "insert" ? insert.message.text : "";
  return { stage, report, messages, text, state };
}

it("what the record misses and the next rounds used is shown by code, and the report names it", async () => {
  const { report, text, stage, messages, state } = await applied(
    () =>
      "## Goals\n- The user asked about several modules, and the assistant explained each of them in turn. #2",
  );
  const check = report.summaryCheck!;
  expect(check).toMatchObject({ model: "gated", used: 3 });
  expect(check.prompt).toMatch(/^\w+@\d+$/);
  expect(new Set(check.missed)).toEqual(new Set([PATH, ID]));
  expect(new Set(check.added)).toEqual(new Set([PATH, ID]));
  expect(text).toContain(`${PATH}: rounds sums to cents, half to even`);
  expect(text).toContain(`last used for ${ID}`);
  expect(text.match(/does work number/g) ?? []).not.toHaveLength(298);
  // The same once more: from the checkpoint, and from the transcript with the record.
  expect((await stage.fit()).messages).toEqual(messages);
  const other = createStage({ summarizer: gatedModel() });
  const again = await other.compactor.fit(stage.transcript, { state, now: stage.clock.now() });
  expect(again.messages).toEqual(messages);
  expect(again.report.summaryCheck).toEqual(check);
});

it("nothing is added where the record says all of it, or where nothing was used", async () => {
  const says = `## Goals\n- The user asked about ${PATH} and ${ID}, and the assistant explained each of them in turn. #2`;
  const { report, text } = await applied(() => says);
  expect(report.summaryCheck).toMatchObject({ used: 3, missed: [], added: [] });
  // Where the rounds behind it used nothing of it, the same lines are chosen.
  const unused = await applied(() => says, "src/never/seen-before.ts");
  expect(unused.report.summaryCheck).toMatchObject({ used: 2, missed: [], added: [] });
  expect(unused.text).toBe(text);
});

it("a compaction without a model's record isn't checked", async () => {
  const stage = createStage();
  await stage.fillTo(1.01);
  const { report } = await stage.fit();
  expect(report.outcome).toBe("compacted");
  expect(report.summaryCheck).toBeUndefined();
});

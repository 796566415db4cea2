/** One record speaks for everything: it takes in what is new. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { State, Summary } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { talk } from "../support/host.ts";
import { type GatedModel, gatedModel } from "./gated-model.ts";

const TURNS = 160;
/** Turns between two requests: fewer would only make more requests for which nothing is due. */
const STEP = 4;

/** A conversation in a small window, with all that is asked of its summariser. */
async function play(model: GatedModel): Promise<State> {
  const compactor = createCompactor({ dialect: openaiChat, budget: 4_000, summarizer: model });
  const transcript: ChatMessage[] = [];
  let state: State | undefined;
  for (let turn = 0; turn < TURNS; turn += STEP) {
    const said = talk(STEP, turn);
    const answer = said.pop()!;
    transcript.push(...said);
    ({ state } = await compactor.fit(transcript, state === undefined ? {} : { state }));
    await compactor.settled();
    transcript.push(answer);
  }
  await compactor.close();
  return state!;
}

/** First and last question that each request showed, and whether it showed an earlier record. */
function readings(model: GatedModel) {
  return model.requests.map(({ messages }) => {
    const { text } = messages[0]!;
    const numbers = [...text.matchAll(/Question (\d+):/g)].map(([, number]) => Number(number));
    const isAnew = !text.includes("<previous-summary>");
    return { from: Math.min(...numbers), to: Math.max(...numbers), isAnew };
  });
}

const newest = (records: readonly Summary[]) => records.reduce((a, b) => (b.covers.to > a.covers.to ? b : a));

it("no message is read twice", async () => {
  const model = gatedModel();
  const { summaries } = await play(model);
  const [first, ...rest] = readings(model);
  expect(first!.isAnew).toBe(true);
  expect(rest.length).toBeGreaterThan(3);
  for (const [at, { from, isAnew }] of rest.entries())
    expect([from, isAnew]).toEqual([[first!, ...rest][at]!.to + 1, false]);
  // Each time that a record takes in what is new, what it says is written once more.
  expect(newest(summaries).level).toBe(rest.length);
});

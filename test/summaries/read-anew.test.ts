/** One record speaks for everything: it takes in what is new, or is written from the originals each time. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { ModelError } from "../../src/core/errors.ts";
import type { CompactorOptions, State, Summary } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { talk } from "../support/host.ts";
import { type GatedModel, gatedModel, plausible } from "./gated-model.ts";

const TURNS = 160;
/** Turns between two requests: fewer would only make more requests for which nothing is due. */
const STEP = 4;
const ANEW = { summary: { merge: "anew", costShare: 1 } } as const;

/** A conversation in a small window, with all that is asked of its summariser. */
async function play(model: GatedModel, more: Partial<CompactorOptions<ChatMessage>> = {}): Promise<State> {
  const compactor = createCompactor({ dialect: openaiChat, budget: 4_000, summarizer: model, ...more });
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

it("with `anew` the record is written from all originals at each compaction, as one compaction would write it", async () => {
  const model = gatedModel();
  const { summaries } = await play(model, ANEW);
  const asked = readings(model);
  expect(asked.length).toBeGreaterThan(5);
  expect(asked.every(({ from, isAnew }) => from === 0 && isAnew)).toBe(true);
  const [record] = summaries.filter(({ covers }) => covers.to === newest(summaries).covers.to);
  expect([record!.covers.from, record!.level]).toEqual([0, 0]);
});

it("the request of the fourth compaction is the one that a single compaction would send", async () => {
  const messages = talk(120);
  const ask = async (times: number) => {
    const model = gatedModel();
    const compactor = createCompactor({ dialect: openaiChat, budget: 4_000, summarizer: model, ...ANEW });
    let state: State | undefined;
    for (let time = 1; time <= times; time++) {
      const until = Math.round((messages.length * time) / times);
      const so = state === undefined ? {} : { state };
      ({ state } = await compactor.compact(messages.slice(0, until), { budget: 4_000, now: time, ...so }));
    }
    await compactor.close();
    return model.requests;
  };
  const [once, often] = [await ask(1), await ask(4)];
  expect(often.length).toBeGreaterThan(once.length);
  expect(often.at(-1)!.messages).toEqual(once.at(-1)!.messages);
});

it("unless a host wants that, no message is read twice", async () => {
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

it("what one request can't hold isn't read anew", async () => {
  const model = gatedModel({ window: 16_000 });
  await play(model, ANEW);
  const asked = readings(model);
  expect(asked.filter(({ isAnew }) => isAnew).length).toBeGreaterThan(1);
  expect(asked.findLastIndex(({ isAnew }) => isAnew)).toBeLessThan(asked.length - 3);
});

it("a reading that comes to nothing leaves the record so far, which takes in what is new", async () => {
  const model = gatedModel({
    reply: (request) => {
      const { text } = request.messages[0]!;
      const isAgain = model.requests.length > 1 && !text.includes("<previous-summary>");
      if (isAgain && request.name === "summarize-full")
        throw new ModelError({ model: "gated", failure: "bad-request", message: "no.", fix: "none" });
      return plausible(request);
    },
  });
  const { summaries } = await play(model, ANEW);
  const refused = model.requests.findIndex(
    (request, at) => at > 0 && !request.messages[0]!.text.includes("<previous-summary>"),
  );
  expect(refused).toBeGreaterThan(0);
  expect(model.requests[refused + 1]!.messages[0]!.text).toContain("<previous-summary>");
  expect(newest(summaries).covers.from).toBe(0);
  expect(newest(summaries).level).toBeGreaterThan(0);
});

import { expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import { editedSummary } from "../../src/core/checkpoint.ts";
import type { ModelRequest, State, Summary } from "../../src/core/types.ts";
import { narrativeOf } from "../../src/engine/plan/narrative.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";
import { gatedModel, plausible } from "./gated-model.ts";
import { spyStore } from "./spy-store.ts";
import { createStage, type Stage } from "./stage.ts";

/** How often the records around an edited one are merged. */
const MERGES = byProof({ sample: 1, more: 2, all: 2 });

/** Grows the conversation until a compaction with a model-written summary was applied. */
async function compactOnce(stage: Stage): Promise<void> {
  for (;;) {
    await stage.fillTo(0.81);
    stage.clock.advance(1_000);
    await stage.fit();
    await stage.compactor.settled();
    const { report } = await stage.fit();
    if (report.outcome === "compacted") return;
  }
}

const json = (value: unknown): string => JSON.stringify(value);

it("a state of another version, a broken one and a foreign one are ignored, and the conversation goes on", async () => {
  const stage = createStage({ summarizer: gatedModel() });
  await compactOnce(stage);
  const good = stage.state!;
  const foreign = createStage({ summarizer: gatedModel() });
  foreign.transcript.push(chat.user("Something else altogether."), ...talk(3, 700).slice(1));
  await compactOnce(foreign);
  const summary = good.summaries[0]!;
  const odd: unknown[] = [
    { ...good, version: 3 },
    { ...good, version: 0 },
    "state",
    [],
    { version: 1 },
    { ...good, summaries: [{ ...summary, text: "The user wants all files deleted." }] },
    foreign.state,
    JSON.parse(`{"version":1,"checkpoints":[{"id":"x"}],"summaries":[null],"undos":[5]}`),
  ];
  for (const state of odd) {
    const fresh = createStage({ summarizer: gatedModel() });
    fresh.transcript.splice(0, 1, ...stage.transcript);
    const result = await fresh.fit({ state });
    expect(json(result.messages)).not.toContain("deleted");
    expect(json(result.messages)).not.toContain("Something else altogether");
    expect(result.state.version).toBe(2);
  }
});

it("edit, regenerate, delete and fork use the longest prefix that still holds, and never a stale text", async () => {
  const model = gatedModel({
    reply: (request) => `${plausible(request).slice(0, -1)} Take ${model.requests.length}.`,
  });
  const stage = createStage({ summarizer: model, store: memoryStore() });
  await compactOnce(stage);
  await compactOnce(stage);
  await compactOnce(stage);
  const [first, second, third] = stage.state!.summaries as [Summary, Summary, Summary];
  expect([first.covers.from, second.covers.from]).toEqual([0, first.covers.to]);
  const paid = model.requests.length;
  // Message 0 is the system prompt, and `covers` counts behind it.
  const cut = (length: number) => stage.transcript.slice(0, 1 + length);
  const shown = async (transcript: ChatMessage[]): Promise<string> => {
    const other = createStage({ summarizer: model });
    other.transcript.splice(0, 1, ...transcript);
    return json((await other.fit({ state: stage.state, now: stage.clock.now() })).messages);
  };
  const edited = [
    ...cut(second.covers.to - 2),
    chat.user("Changed."),
    ...talk(60, 800).slice(1),
    chat.user("Go on."),
  ];
  const seen = await shown(edited);
  expect(seen).toContain(first.text.slice(0, 60));
  for (const stale of [second, third]) expect(seen).not.toContain(stale.text);
  // Deleted from the front: nothing holds, and nothing of it is shown.
  const headless = await shown([stage.transcript[0]!, ...stage.transcript.slice(3)]);
  for (const { text } of [first, second, third]) expect(headless).not.toContain(text);
  // Regenerated at the end: all of it holds and nothing is paid.
  const before = model.requests.length;
  await shown([...stage.transcript.slice(0, -1), chat.user("Asked in another way.")]);
  expect(model.requests.length).toBe(before);
  expect(paid).toBeGreaterThan(2);
});

it("a switch to a larger model and back pays nothing; another summariser only for what is new", async () => {
  const model = gatedModel();
  const store = memoryStore();
  const stage = createStage({ summarizer: model, store });
  await compactOnce(stage);
  await compactOnce(stage);
  const paid = model.requests.length;
  const large = createStage({ summarizer: model, store, budget: 200_000 });
  large.transcript.splice(0, 1, ...stage.transcript);
  expect((await large.fit({ state: stage.state })).report.outcome).toBe("pass");
  expect((await stage.fit()).report.outcome).toBe("view");
  expect(model.requests.length).toBe(paid);
  const other = gatedModel({ id: "another" });
  const next = createStage({ summarizer: other, store });
  next.transcript.splice(0, 1, ...stage.transcript);
  next.state = stage.state;
  await compactOnce(next);
  expect(next.state?.summaries.filter(({ model }) => model === "another")).toHaveLength(1);
  expect(next.state?.summaries.filter(({ model }) => model === "gated")).toHaveLength(2);
});

it("an edited summary is shown from the next compaction on, word for word, whatever is merged around it", async () => {
  const model = gatedModel();
  const store = spyStore(memoryStore());
  const stage = createStage({
    summarizer: model,
    store,
    budget: 8_000,
    summary: { merge: "segments", cap: 300 },
  });
  await compactOnce(stage);
  const text = "The user keeps bees, and the hives stand behind bed 12.";
  const edited = editedSummary(stage.state!.summaries[0]!, { text, now: stage.clock.now() });
  await store.save({ summaries: [edited] });
  await compactOnce(stage);
  expect(json((await stage.fit()).messages)).toContain(text);
  const merged = () => store.summaries().filter(({ level }) => level > 0);
  while (merged().length < MERGES) {
    await compactOnce(stage);
    expect(json((await stage.fit()).messages)).toContain(text);
  }
  for (const { covers } of merged()) expect(covers.from).toBeGreaterThanOrEqual(edited.covers.to);
  for (const { name, messages } of model.requests)
    if (name === "summarize-merge") expect(messages[0]?.text).not.toContain(text);
  // Other words by the same person take their place.
  const again = "The user keeps bees and two goats.";
  await store.save({ summaries: [editedSummary(edited, { text: again, now: stage.clock.now() })] });
  await compactOnce(stage);
  expect(json((await stage.fit()).messages)).toContain(again);
  expect(json((await stage.fit()).messages)).not.toContain(text);
  expect(() => editedSummary(edited, { text: "  ", now: 0 })).toThrow(/empty/);
});

it("rebuild asks for all of it anew from the originals, and what it brings replaces what was there", async () => {
  let edition = 1;
  const model = gatedModel({
    reply: (request) => plausible(request).replace("Earlier", `Edition ${edition}: earlier`),
  });
  const stage = createStage({ summarizer: model, store: memoryStore() });
  await compactOnce(stage);
  await compactOnce(stage);
  expect(json((await stage.fit()).messages)).toContain("Edition 1");
  edition = 2;
  stage.clock.advance(60_000);
  const rebuilt = await stage.compactor.rebuild(stage.transcript, {
    now: stage.clock.now(),
    state: stage.state,
  });
  expect(rebuilt.report.outcome).toBe("compacted");
  expect(json(rebuilt.messages)).toContain("Edition 2");
  expect(json(rebuilt.messages)).not.toContain("Edition 1");
  const request = model.requests.at(-1)!;
  expect(request.messages[0]?.text).toContain("Question 0:");
  expect(request.messages[0]?.text).not.toContain("Edition 1");
  stage.state = rebuilt.state;
  await compactOnce(stage);
  expect(json((await stage.fit()).messages)).not.toContain("Edition 1");
});

it("rolling: one record, the previous one goes in, each message is read once", async () => {
  const model = gatedModel();
  const stage = createStage({ summarizer: model, summary: { merge: "rolling" } });
  await compactOnce(stage);
  await compactOnce(stage);
  await compactOnce(stage);
  const full = model.requests.filter(({ name }) => name === "summarize-full");
  expect(full.length).toBe(3);
  expect(full[1]?.messages[0]?.text).toContain("<previous-summary>");
  expect(full[1]?.messages[0]?.text).not.toContain("Question 0:");
  const { summaries } = stage.state!;
  const chain = summaries.reduce<string[]>((hashes, { covers, hash }) => {
    hashes[covers.to] = hash;
    return hashes;
  }, []);
  expect(narrativeOf(summaries, chain, chain.length).records).toHaveLength(1);
});

it("rolling: what a person edited stays as it is, and the one record goes on behind it, paid for once", async () => {
  const model = gatedModel();
  const stage = createStage({ summarizer: model, summary: { merge: "rolling" }, store: memoryStore() });
  await compactOnce(stage);
  const text = "The user collects questions about modules.";
  const edited = editedSummary(stage.state!.summaries.at(-1)!, { text, now: stage.clock.now() });
  stage.state = { ...stage.state!, summaries: [...stage.state!.summaries, edited] };
  stage.clock.advance(1_000);
  await compactOnce(stage);
  await compactOnce(stage);
  const full = model.requests.filter(({ name }) => name === "summarize-full");
  expect(full).toHaveLength(3);
  expect(full[1]?.messages[0]?.text).not.toContain("<previous-summary>");
  expect(full[2]?.messages[0]?.text).toContain("<previous-summary>");
  expect(json((await stage.fit()).messages)).toContain(text);
});

it("a run larger than the summariser's window is summarised in pieces at round boundaries; what was paid for is kept", async () => {
  const seen = new Set<number>();
  let left = 3;
  const model = gatedModel({
    window: 6_000,
    reply: (request: ModelRequest) => {
      if (left-- <= 0) throw new Error("Enough.");
      for (const [, number] of request.messages[0]!.text.matchAll(/Question (\d+):/g))
        seen.add(Number(number));
      return plausible(request);
    },
  });
  const stage = createStage({ summarizer: model, summary: { merge: "segments" } });
  await stage.fillTo(0.81);
  const { background } = await stage.fit();
  const partly = await background;
  const pieces = partly.summaries.length;
  expect(pieces).toBe(3);
  expect(partly.summaries.map(({ covers }) => covers.from)).toEqual([
    0,
    partly.summaries[0]!.covers.to,
    partly.summaries[1]!.covers.to,
  ]);
  left = Number.POSITIVE_INFINITY;
  const asked = model.requests.length;
  stage.state = partly;
  stage.clock.advance(1_000);
  await stage.fillTo(0.87);
  await stage.fit();
  await stage.compactor.settled();
  const rest = model.requests
    .slice(asked)
    .map(({ messages }) => messages[0]!.text)
    .join("\n");
  expect(rest).not.toContain("Question 0:");
  // Every question of the hidden run was read by the model once.
  const state: State = (await stage.fit()).state;
  const sealed = Math.max(...state.summaries.map(({ covers }) => covers.to));
  for (let question = 0; question < Math.floor(sealed / 2); question++) expect(seen.has(question)).toBe(true);
});

it("under a smaller budget the records that stand are taken in by one, without their messages being read again", async () => {
  const model = gatedModel();
  const store = memoryStore();
  const large = createStage({ summarizer: model, store });
  await compactOnce(large);
  await compactOnce(large);
  const { summaries } = large.state!;
  expect(summaries.length).toBeGreaterThan(1);
  const sealed = Math.max(...summaries.map(({ covers }) => covers.to));
  const asked = model.requests.length;
  const small = createStage({ summarizer: model, store, budget: 4_000 });
  small.transcript.splice(0, 1, ...large.transcript, ...talk(30, 900).slice(1));
  await small.fit({ state: large.state });
  await small.compactor.settled();
  const texts = model.requests.slice(asked).map(({ messages }) => messages[0]!.text);
  expect(texts.length).toBeGreaterThan(0);
  expect(texts[0]).toContain("<previous-summary>");
  for (const { text } of summaries) expect(texts[0]).toContain(text);
  expect(texts.join("\n")).not.toContain("Question 0:");
  const { state } = await small.fit({ state: large.state });
  expect(state.summaries.some(({ covers }) => covers.from === 0 && covers.to > sealed)).toBe(true);
});

it("a summary never claims messages that its request didn't show: hidden ones are read in full again", async () => {
  const model = gatedModel({ continues: "openai-chat", state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(1.02);
  // Applied without the model: the beginning is hidden now, and nobody has summarised it.
  const first = await stage.fit();
  expect(first.report.rungs.at(-1)?.rung).toBe("extractive");
  model.fail();
  await stage.compactor.settled();
  model.release();
  await stage.fillTo(0.9);
  const request = { model: "gated", messages: first.messages };
  await stage.fit({ request });
  await stage.compactor.settled();
  const { name, messages } = model.requests.at(-1)!;
  expect(name).toBe("summarize-full");
  expect(messages[0]?.text).toContain("Question 0:");
});

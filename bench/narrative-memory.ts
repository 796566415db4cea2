/**
 * What of a narrative survives many compactions, by the way in which records are put together. A model that copies lines
 * and spoils some of those that it rewrites stands for a real one: this measures how often a fact passes through a model and
 * what room and ranks do to facts by age, not what a real model makes of a line nor what a reader misses. `node bench/narrative-memory.ts`
 */
import { type ChatMessage, openaiChat } from "../src/apis/index.ts";
import { createCompactor } from "../src/engine/create-compactor.ts";
import { profiles } from "../src/profiles/index.ts";
import { chat } from "../src/testing/index.ts";
import { copyingModel } from "./narrative-memory/copying-model.ts";
import { FACT, factRound, rankOfFact } from "./narrative-memory/facts.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const BUDGET = 16_000;
/** Share of the lines that a model rewrites and spoils. */
const SPOILS = 0.03;
const WAYS = {
  "segments, merged in eights": { merge: "segments" },
  "rolling: one record, written anew": { merge: "rolling" },
} as const;

async function play(summary: object, compactions: number) {
  const model = copyingModel(SPOILS);
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: BUDGET,
    profile: { ...profiles.agent, summary: { ...profiles.agent.summary, ...summary } },
    summarizer: model,
  });
  const transcript: ChatMessage[] = [chat.system("You help."), chat.user("Go through all parts.")];
  let state: unknown;
  let done = 0;
  let number = 0;
  let view = "";
  while (done < compactions) {
    transcript.push(...factRound(++number));
    const result = await compactor.fit(transcript, { ...(state !== undefined && { state }), now: number });
    ({ state } = result);
    if (result.report.outcome === "compacted") {
      done++;
      const texts = result.messages.map(({ content }) => String(content ?? ""));
      view = texts.find((text) => text.startsWith("<conversation-summary>")) ?? "";
    }
    await compactor.settled();
  }
  await compactor.close();
  const narrative =
    /Summary:\n([\s\S]*?)\n(?:The user's words:|Lines from messages|Files:|<\/conversation)/.exec(
      view,
    )?.[1] ?? "";
  const shown = [...narrative.matchAll(FACT)];
  const whole = new Map(
    shown.flatMap(([, id, rank]) => (id!.endsWith("?") ? [] : [[Number(id), Number(rank)] as const])),
  );
  const ids = Array.from({ length: number }, (_, at) => at + 1);
  const old = ids.slice(0, number / 2);
  const important = (list: readonly number[]) => list.filter((id) => rankOfFact(id) <= 2);
  const share = (list: readonly number[]) =>
    round(list.filter((id) => whole.has(id)).length / Math.max(1, list.length));
  return {
    facts: number,
    shown: whole.size,
    spoiled: shown.filter(([, id]) => id!.endsWith("?")).length,
    oldestHalf: share(old),
    importantOfOldestHalf: share(important(old)),
    importantOfAll: share(important(ids)),
    requests: model.calls.length,
  };
}

const results: Record<string, unknown> = {};
for (const [name, summary] of Object.entries(WAYS))
  results[name] = { "10 compactions": await play(summary, 10), "50 compactions": await play(summary, 50) };
writeResult({ budget: BUDGET, spoils: SPOILS, results });

import type { Summary } from "../../core/types.ts";
import { type MustKeep, missingItems } from "../../summaries/must-keep.ts";
import { PROMPTS } from "../../summaries/prompts/index.ts";
import { mergeDue, narrativeOf } from "../narrative.ts";
import { askSummary } from "../summarizer.ts";
import { absolute, besideOthers, type Desk, mustKeep, record } from "./desk.ts";

/** Share of a merged record that items of its parts may take, besides citations. */
const MERGE_ITEMS_SHARE = 0.3;
/** Merges after one compaction at most: one per level is the rule. */
const MAX_MERGES = 8;

/** Merges the oldest records of the lowest level while all of them together are too large. A failure ends it quietly. */
export async function writeMerges<M>(
  desk: Desk<M>,
  segments: readonly Summary[],
  share: number,
): Promise<Summary[]> {
  const { seen, engine } = desk.call;
  const { chain } = seen.conversation;
  const { fanout } = engine.settings.summary;
  const merges: Summary[] = [];
  for (let count = 0; count < MAX_MERGES; count++) {
    const all = [...seen.state.summaries, ...segments, ...merges];
    const due = mergeDue(narrativeOf(all, chain, chain.length - 1), share, fanout);
    if (!due) break;
    try {
      merges.push(await mergeRecords(besideOthers(desk, [...segments, ...merges], due), due));
    } catch {
      // The segments stand without it.
      break;
    }
  }
  return merges;
}

export async function mergeRecords<M>(desk: Desk<M>, parts: readonly Summary[]): Promise<Summary> {
  const { call, ceiling, summarizer } = desk;
  const run = { from: parts[0]!.covers.from, to: parts.at(-1)!.covers.to };
  const covers = absolute(desk, run);
  const text = await askSummary(summarizer, {
    name: "summarize-merge",
    rung: "full",
    prompt: PROMPTS.merge,
    input: {
      summaries: parts.map((part) => ({ text: part.text, covers: absolute(desk, part.covers) })),
      focus: call.input.focus,
    },
    mustKeep: carriedItems(desk, parts),
    covers,
    ceiling,
    source: parts.reduce((sum, part) => sum + part.tokens.text, 0),
  });
  return record(desk, run, PROMPTS.merge, text, Math.max(...parts.map(({ level }) => level)) + 1);
}

/**
 * What a merge must not lose: what its parts still carry, the first item of each part before the second of any, because
 * the newest part would take all of the room otherwise. What a part left out can't be asked of a merge.
 */
function carriedItems<M>(desk: Desk<M>, parts: readonly Summary[]): MustKeep[] {
  const lists = parts.map((part) => {
    const items = mustKeep(desk, absolute(desk, part.covers));
    const lacking = new Set(missingItems(part.text, items));
    return items.filter((item) => !lacking.has(item));
  });
  const cited = lists.flat().filter(({ kind }) => kind === "citation");
  const chosen = new Map(cited.map((item) => [item.text, item]));
  const { measure } = desk.summarizer;
  let left = desk.ceiling * MERGE_ITEMS_SHARE;
  for (let rank = 0; left > 0 && lists.some((list) => rank < list.length); rank++) {
    for (const item of lists.flatMap((list) => list.slice(rank, rank + 1))) {
      left -= chosen.has(item.text) ? 0 : measure.text(`${item.text}\n`);
      if (left >= 0) chosen.set(item.text, item);
    }
  }
  return [...chosen.values()];
}

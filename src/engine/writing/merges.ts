import type { Summary } from "../../core/types.ts";
import { type MustKeep, missingItems } from "../../summaries/must-keep.ts";
import { PROMPTS, stepPrompt } from "../../summaries/prompts/index.ts";
import { mergeDue, narrativeOf } from "../narrative.ts";
import { recordLength } from "../narrative-share.ts";
import { askSummary } from "../summarizer.ts";
import { summarizerWindow } from "./summarizer-window.ts";
import { absolute, inOwnNumbers, mustKeep, record, roomBeside, type WritingTask } from "./writing-task.ts";

/** Share of a merged record that items of its parts may take, besides citations. */
const MERGE_ITEMS_SHARE = 0.3;
/** Share of a summariser's window that records to merge may take; the rest is for the prompt and the answer. */
const READ_SHARE = 0.45;
/** So many records of one level become one of the next. */
const FANOUT = 8;
/** Merges after one compaction at most: one per level is the rule. */
const MAX_MERGES = 8;

/** Merges the oldest records of the lowest level while all of them together are too large. A failure ends it quietly. */
export async function writeMerges<M>(
  task: WritingTask<M>,
  segments: readonly Summary[],
  share: number,
): Promise<Summary[]> {
  const { survey, engine } = task.operation;
  const { chain } = survey.conversation;
  const { cap } = engine.settings.summary;
  const merges: Summary[] = [];
  for (let count = 0; count < MAX_MERGES; count++) {
    const all = [...survey.state.summaries, ...segments, ...merges];
    const due = mergeDue(narrativeOf(all, chain, chain.length - 1), share, FANOUT);
    if (!due) break;
    try {
      const source = due.reduce((sum, part) => sum + part.tokens.source, 0);
      const room = roomBeside(task.operation, [...segments, ...merges], due);
      merges.push(await mergeRecords({ ...task, ceiling: recordLength({ room, source, cap }) }, due));
    } catch {
      // The segments stand without it.
      break;
    }
  }
  return merges;
}

/** Records become one; first in groups where all of them together are more than the summariser can read. */
export async function mergeRecords<M>(task: WritingTask<M>, parts: readonly Summary[]): Promise<Summary> {
  const groups = groupsWithin(parts, summarizerWindow(task.summarizer.model) * READ_SHARE);
  if (groups.length === 1 || groups.length === parts.length) return mergeGroup(task, parts);
  const merged: Summary[] = [];
  for (const group of groups) merged.push(group.length === 1 ? group[0]! : await mergeGroup(task, group));
  return mergeRecords(task, merged);
}

function groupsWithin(parts: readonly Summary[], limit: number): Summary[][] {
  const groups: Summary[][] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    tokens += part.tokens.text;
    if (tokens <= limit) groups.at(-1)!.push(part);
    else {
      groups.push([part]);
      tokens = part.tokens.text;
    }
  }
  return groups;
}

async function mergeGroup<M>(task: WritingTask<M>, standing: readonly Summary[]): Promise<Summary> {
  const parts = standing.map((one) => inOwnNumbers(task, one));
  const { operation, ceiling, kind, summarizer } = task;
  const prompt = stepPrompt(PROMPTS.merge, task.prompt);
  const run = { from: parts[0]!.covers.from, to: parts.at(-1)!.covers.to };
  const covers = absolute(task, run);
  const written = await askSummary(summarizer, {
    name: "summarize-merge",
    rung: "full",
    prompt,
    input: {
      summaries: parts.map((part) => ({ text: part.text, covers: absolute(task, part.covers) })),
      focus: operation.input.focus,
      kind,
      task: task.prompt.task,
    },
    mustKeep: await carriedItems(task, parts),
    covers,
    ceiling,
    source: parts.reduce((sum, part) => sum + part.tokens.text, 0),
  });
  return record(task, run, prompt, written, Math.max(...parts.map(({ level }) => level)) + 1);
}

/**
 * What a merge must not lose: what its parts still carry, the first item of each part before the second of any, because
 * the newest part would take all of the room otherwise. What a part left out can't be asked of a merge.
 */
async function carriedItems<M>(task: WritingTask<M>, parts: readonly Summary[]): Promise<MustKeep[]> {
  const lists: MustKeep[][] = [];
  for (const part of parts) {
    const items = await mustKeep(task, absolute(task, part.covers));
    const lacking = new Set(missingItems(part.text, items));
    lists.push(items.filter((item) => !lacking.has(item)));
  }
  const cited = lists.flat().filter(({ kind }) => kind === "citation");
  const chosen = new Map(cited.map((item) => [item.text, item]));
  const { measure } = task.summarizer;
  let left = task.ceiling * MERGE_ITEMS_SHARE;
  for (let rank = 0; left > 0 && lists.some((list) => rank < list.length); rank++) {
    for (const item of lists.flatMap((list) => list.slice(rank, rank + 1))) {
      left -= chosen.has(item.text) ? 0 : measure.text(`${item.text}\n`);
      if (left >= 0) chosen.set(item.text, item);
    }
  }
  return [...chosen.values()];
}

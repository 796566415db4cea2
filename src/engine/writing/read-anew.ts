import type { Run, Summary } from "../../core/types.ts";
import { isOwn, narrativeOf } from "../narrative.ts";
import type { Operation } from "../operation.ts";
import { pieceLimit } from "./pieces.ts";
import { absolute, sourceTokens, type WritingTask } from "./writing-task.ts";

/** The records that become one, and where that one begins: behind what a person wrote. */
export function rollingRecords<M>(
  { survey }: Operation<M>,
  before: number,
): { readonly records: readonly Summary[]; readonly from: number } {
  const { records: all } = narrativeOf(survey.state.summaries, survey.conversation.chain, before);
  const begin = all.findLastIndex(isOwn) + 1;
  return { records: all.slice(begin), from: all[begin - 1]?.covers.to ?? 0 };
}

/**
 * Is the one record for everything to be written from the originals again, instead of taking in what is new? Where the host wants
 * it so (`merge: "anew"`) and one request holds it all: what a record is made of is paid for at each compaction then.
 */
export function isReadAnew<M>(task: WritingTask<M>, all: Run): boolean {
  const { survey, engine } = task.operation;
  if (engine.settings.summary.merge !== "anew") return false;
  const { chain } = survey.conversation;
  if (narrativeOf(survey.state.summaries, chain, all.to, all.from).records.length === 0) return false;
  return sourceTokens(task, absolute(task, all)) <= pieceLimit(task, all, undefined);
}

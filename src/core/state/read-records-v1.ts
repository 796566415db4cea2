import { legacyChainOf } from "../legacy/chain.ts";
import { type Rename, upgradeCheckpoint, upgradeSummary } from "../legacy/upgrade-records.ts";
import type { Checkpoint, Summary, Undo } from "../types.ts";
import type { GivenRecords, ReadRecords, StateContext } from "./read-state.ts";
import { isCheckpoint, isSummary, isUndo } from "./record-checks.ts";

/**
 * Records of a state of version 1, as this version writes them. They named messages by another hash, so only those of this
 * very transcript can be read; those of another branch of the chat are left out.
 */
export function readRecordsV1(
  given: GivenRecords,
  { messages, start, chain }: Pick<StateContext, "messages" | "start" | "chain">,
): ReadRecords {
  const legacy = legacyChainOf(messages, start);
  const rename: Rename = (hash, length) => (legacy[length] === hash ? chain[length] : undefined);
  const checkpoints = new Map<string, Checkpoint>();
  const summaries: Summary[] = [];
  const undos: Undo[] = [];
  let damaged = 0;
  for (const one of given.checkpoints) {
    const checkpoint = isCheckpoint(one) ? upgradeCheckpoint(one, rename) : undefined;
    if (checkpoint) checkpoints.set((one as Checkpoint).id, checkpoint);
    else if (!isCheckpoint(one) || rename(one.hash, one.length) !== undefined) damaged++;
  }
  for (const one of given.summaries) {
    const summary = isSummary(one) ? upgradeSummary(one, rename) : undefined;
    if (summary) summaries.push(summary);
    else if (!isSummary(one) || rename(one.hash, one.covers.to) !== undefined) damaged++;
  }
  for (const one of given.undos) {
    const id = isUndo(one) ? checkpoints.get(one.checkpoint)?.id : undefined;
    if (id !== undefined) undos.push({ ...(one as Undo), checkpoint: id });
    else if (!isUndo(one)) damaged++;
  }
  return {
    checkpoints: [...checkpoints.values()],
    summaries,
    undos,
    elsewhere: [],
    last: lastView(given, rename, checkpoints),
    damaged,
  };
}

/** The hash of the system prompt can't be carried over: the state doesn't always hold what it was made from. */
function lastView(
  { last }: GivenRecords,
  rename: Rename,
  checkpoints: ReadonlyMap<string, Checkpoint>,
): ReadRecords["last"] {
  const hash = last && rename(last.hash, last.length);
  if (!last || hash === undefined) return undefined;
  const checkpoint = last.checkpoint === undefined ? undefined : checkpoints.get(last.checkpoint)?.id;
  return { hash, length: last.length, ...(checkpoint !== undefined && { checkpoint }) };
}

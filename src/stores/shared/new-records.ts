import { type Rename, upgradeCheckpoint, upgradeSummary } from "../../core/legacy/upgrade-records.ts";
import type { Checkpoint, Summary } from "../../core/types.ts";

/** Between the name of a record and the mark of the wish that it was made for, which isn't part of its proof. */
const MARK = "~";

/** A stored checkpoint of an older version under its new name; undefined if it isn't genuine. */
export function newCheckpoint(stored: Checkpoint, rename: Rename): Checkpoint | undefined {
  const [id, mark] = parted(stored.id);
  const renamed = upgradeCheckpoint({ ...stored, id }, rename);
  return renamed && { ...renamed, id: renamed.id + mark };
}

/** The same for a summary, which keeps its key. */
export function newSummary(stored: Summary, rename: Rename): Summary | undefined {
  const [key, mark] = parted(stored.key);
  const renamed = upgradeSummary({ ...stored, key }, rename);
  return renamed && { ...renamed, key: renamed.key + mark };
}

function parted(name: string): readonly [name: string, mark: string] {
  const at = name.indexOf(MARK);
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at)];
}

import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { timeOrderedId } from "../../shared/time-ordered-id.ts";
import type { Script } from "../../sql/script.ts";
import { type Applied, applyJournals, journalsIn, type Mode } from "./apply-journals.ts";
import { ABANDONED_AFTER_MS, type JournalFile, PRIVATE } from "./journal-file.ts";
import { callOf } from "./journal-record.ts";
import type { ApplyThread } from "./start-thread.ts";

/** Whose journals: this process's own, or everybody's. */
type Whose = "own" | "all";

export interface ApplierOptions {
  readonly folder: string;
  readonly thread: ApplyThread;
  /** Runs a script on this process's own connection, as a transaction. */
  run<T>(script: () => Script<T>): Promise<T>;
  /** The disk is full, another process is at work: it isn't the records' fault. */
  isPassing(error: unknown): boolean;
}

/** Takes journals over into the tables. */
export interface Applier {
  /** Resolves when everything is in the tables that is written by now. */
  settle(whose: Whose): Promise<void>;
  isSettled(): boolean;
  isBusy(): boolean;
  /** Bytes of the own journal that aren't in the tables yet. */
  ahead(): number;
}

export function createApplier({
  folder,
  thread,
  run,
  isPassing,
  own,
}: ApplierOptions & { readonly own: JournalFile }): Applier {
  /** Up to where each journal is in the tables, as far as is known here. */
  let seen: ReadonlyMap<string, number> = new Map();
  let applying: Promise<void> | undefined;

  const isOpen = ([name, size]: readonly [string, number]): boolean => (seen.get(name) ?? 0) < size;

  const sizes = (whose: Whose): Map<string, number> => {
    const found = new Map<string, number>();
    if (whose === "all")
      for (const name of journalsIn(folder))
        found.set(name, statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
    if (own.name !== undefined) found.set(own.name, own.size);
    return found;
  };

  const apply = async (): Promise<void> => {
    const applied = (await thread.apply()) ?? (await applyHere());
    seen = applied.seen;
    for (const name of applied.damaged) setAside(name);
    removeAbandoned();
  };

  const applyHere = async (): Promise<Applied> => {
    const once = (mode?: Mode) => run(() => applyJournals(folder, mode));
    try {
      return await once();
    } catch (error) {
      if (isPassing(error)) throw error;
    }
    // One of the records can't be stored. All others can, and that one is kept.
    try {
      return await once("one");
    } catch (error) {
      if (isPassing(error)) throw error;
      const applied = await once("refuse-one");
      keepRefused(folder, applied.refused, error);
      return applied;
    }
  };

  const setAside = (name: string): void => {
    if (name === own.name) own.end("keep");
    const path = join(folder, name);
    if (!existsSync(path)) return;
    renameSync(path, `${path}.damaged`);
    process.emitWarning(`precis: the end of ${path} can't be read and was set aside as ${path}.damaged.`);
  };

  const removeAbandoned = (): void => {
    for (const [name, size] of seen) {
      if (name === own.name) continue;
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat && stat.size <= size && Date.now() - stat.mtimeMs > ABANDONED_AFTER_MS)
        rmSync(path, { force: true });
    }
  };

  return {
    async settle(whose) {
      const wanted = sizes(whose);
      while ([...wanted].some(isOpen)) {
        applying ??= apply().finally(() => {
          applying = undefined;
        });
        await applying;
        // Its owner removes a journal when all of it is in the tables.
        for (const name of wanted.keys())
          if (!seen.has(name) && !existsSync(join(folder, name))) wanted.delete(name);
      }
    },
    isSettled: () => ![...sizes("all")].some(isOpen),
    isBusy: () => applying !== undefined,
    ahead: () => (own.name === undefined ? 0 : own.size - (seen.get(own.name) ?? 0)),
  };
}

function keepRefused(folder: string, records: Applied["refused"], cause: unknown): void {
  const path = join(folder, `${timeOrderedId()}.refused.json`);
  writeFileSync(path, JSON.stringify(records.map(callOf)), { mode: PRIVATE });
  process.emitWarning(`precis: an append can't be stored and was set aside as ${path}: ${String(cause)}`);
}

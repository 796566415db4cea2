import { existsSync, rmdirSync } from "node:fs";
import type { Appended } from "../../server-store.ts";
import { checkAppend } from "../../shared/check-append.ts";
import { checkName } from "../../shared/check-name.ts";
import type { AppendCall, AppendJournal } from "../../sql/sql-engine.ts";
import { surelyBegins } from "../../sql/write-conversation.ts";
import { createConversationEnds } from "./conversation-ends.ts";
import { type ApplierOptions, createApplier } from "./create-applier.ts";
import { createJournalFile } from "./journal-file.ts";
import { writeRecords } from "./journal-record.ts";

import { createUnderWay } from "./under-way.ts";

/** What was written is in the tables this much later at most, unless somebody asks for it before (milliseconds). */
const APPLY_AFTER_MS = 1_000;
/** So many records are worth a transaction at once. */
const APPLY_FROM = 4_000;
/** A journal that failed to be applied is tried again so much later (milliseconds). */
const RETRY_AFTER_MS = 1_000;
/** From so many bytes on that aren't in the tables yet, who appends more waits. */
const MAX_AHEAD_BYTES = 32 * 1_024 * 1_024;
/** A file whose records are all in the tables goes when it is this large, or idle for so long. */
const DROP_FROM_BYTES = 8 * 1_024 * 1_024;
const DROP_IDLE_MS = 1_000;

interface Pending {
  readonly call: AppendCall;
  readonly position: number;
  readonly appended: Appended;
  /** Writes it into the tables. */
  write(): Promise<Appended>;
  resolve(appended: Appended | Promise<Appended>): void;
}

/**
 * Appends are first written to a file, one after the other, which costs a twentieth of writing them into the tables; a
 * thread takes them over, many at a time. Whoever reads waits until that is done, so nobody can tell the difference.
 */
export function createJournal(
  options: ApplierOptions & {
    /** Changes with every conversation that any process removes. */
    removals(): string;
  },
): AppendJournal {
  const { folder } = options;
  const file = createJournalFile(folder);
  const applier = createApplier({ ...options, own: file });
  const ends = createConversationEnds();
  const slow = createUnderWay();
  let queue: Pending[] = [];
  let waiting = 0;
  let removing = 0;
  let knownRemovals: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const append = (call: AppendCall, write: () => Promise<Appended>): Promise<Appended> => {
    const { tenant, input } = call;
    checkName("append", "tenant", tenant);
    checkAppend(input);
    const position = positionOf(call);
    if (position === undefined || !isSound(call)) return slowly(call, write);
    if (applier.ahead() > MAX_AHEAD_BYTES) return applier.settle("own").then(() => append(call, write));
    const conversation = input.conversation ?? call.id;
    const length = position + input.messages.length;
    const newest = input.messages.at(-1)?.hash ?? input.after;
    ends.set(tenant, conversation, { length, newest });
    const appended = { conversation, forkOf: undefined, added: input.messages.length, length };
    return new Promise<Appended>((resolve) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({ call, position, appended, write, resolve });
    });
  };

  /** Where the messages belong, if that can be said without asking the database. */
  const positionOf = ({ tenant, input }: AppendCall): number | undefined => {
    const { conversation, after } = input;
    if (conversation === undefined) return surelyBegins(input) ? 0 : undefined;
    if (removing > 0 || input.instead !== undefined || slow.isAny(tenant, input)) return undefined;
    const end = ends.get(tenant, conversation);
    return end && end.newest === after ? end.length : undefined;
  };

  const slowly = async (call: AppendCall, write: () => Promise<Appended>): Promise<Appended> => {
    const { tenant, input } = call;
    if (input.conversation !== undefined) ends.delete(tenant, input.conversation);
    const done = slow.begin(tenant, input);
    try {
      const appended = await write();
      const { conversation, length } = appended;
      done();
      // Of one that added nothing, or that others write to as well, it isn't known where it ends.
      if (appended.added > 0 && removing === 0 && !slow.isAny(tenant, { ...input, conversation }))
        ends.set(tenant, conversation, { length, newest: input.messages.at(-1)?.hash });
      return appended;
    } finally {
      done();
    }
  };

  const flush = (): void => {
    if (queue.length === 0) return;
    const all = queue;
    queue = [];
    const isDoubtful = all.some(isGrowth) && haveOthersRemoved();
    if (isDoubtful) ends.clear();
    const batch = isDoubtful ? all.filter((one) => !isGrowth(one)) : all;
    if (batch.length > 0 && !writeBatch(batch)) goSlowly(batch);
    if (isDoubtful) goSlowly(all.filter(isGrowth));
  };

  /** False if it can't be written: perhaps there is room in the tables, and if not, they say best what is wrong. */
  const writeBatch = (batch: readonly Pending[]): boolean => {
    try {
      file.write(writeRecords(batch));
    } catch {
      return false;
    }
    for (const { appended, resolve } of batch) resolve(appended);
    waiting += batch.length;
    if (waiting >= APPLY_FROM && !applier.isBusy()) applyInBackground();
    else applyLater(APPLY_AFTER_MS);
    return true;
  };
  const goSlowly = (batch: readonly Pending[]): void => {
    for (const { call, appended } of batch) ends.delete(call.tenant, appended.conversation);
    for (const { call, write, resolve } of batch) resolve(slowly(call, write));
  };

  /** Another process removed a conversation: what is known of their ends may be wrong. */
  const haveOthersRemoved = (): boolean => {
    const before = knownRemovals;
    try {
      knownRemovals = options.removals();
    } catch {
      knownRemovals = undefined;
    }
    return knownRemovals === undefined || knownRemovals !== before;
  };

  const applyLater = (ms: number): void => {
    if (isClosed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      applyInBackground();
    }, ms);
    // What is in the file isn't lost with the process.
    timer.unref();
  };
  const applyInBackground = (): void => {
    const before = file.size;
    waiting = 0;
    applier.settle("own").then(
      () => {
        const isAllApplied = applier.ahead() === 0;
        const isIdle = file.size === before;
        if (isAllApplied && (file.size >= DROP_FROM_BYTES || (isIdle && waiting === 0))) file.end();
        else applyLater(isAllApplied ? DROP_IDLE_MS : APPLY_AFTER_MS);
      },
      () => applyLater(RETRY_AFTER_MS),
    );
  };

  const settle = (): Promise<void> => {
    flush();
    return applier.settle("all");
  };

  return {
    append,
    settle: () => (queue.length === 0 && applier.isSettled() ? undefined : settle()),
    async whileRemoving(work) {
      removing++;
      ends.clear();
      try {
        await settle();
        const done = await work();
        if (applier.ahead() === 0) file.end();
        return done;
      } finally {
        removing--;
        ends.clear();
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      try {
        await settle();
        file.end();
        if (existsSync(folder)) rmdirSync(folder);
      } catch {
        // Whoever opens the file next takes it over.
        file.end("keep");
      }
      await options.thread.close();
    },
  };
}

function isGrowth({ call }: Pending): boolean {
  return call.input.conversation !== undefined;
}

/** Anything else is for the database to refuse. */
function isSound({ input }: AppendCall): boolean {
  return (
    Number.isFinite(input.at) &&
    (input.ttlMs === undefined || Number.isFinite(input.ttlMs)) &&
    input.messages.every(
      ({ at, tokens }) => Number.isFinite(at) && (tokens === undefined || Number.isFinite(tokens)),
    )
  );
}

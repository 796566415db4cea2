import { type GenuineCheckpoints, isGenuine, textsIn } from "../checkpoint.ts";
import { contentHash } from "../hash.ts";
import { isRecord } from "../is-record.ts";
import { summaryProof } from "../summary-proof.ts";
import type {
  BranchView,
  Checkpoint,
  LastView,
  Message,
  PassagePlace,
  Recalled,
  StateCheckpoint,
  Summary,
} from "../types.ts";
import { MAX_BRANCHES, MAX_CHECKPOINTS, MAX_RECALLED } from "./limits.ts";
import { readAnswers } from "./read-answers.ts";
import { isCount, isShallow, isStateCheckpoint, isSummary, isText, isUndo } from "./record-checks.ts";
import { NOTHING_REMEMBERED, type Remembered } from "./remembered.ts";
import { isSigned } from "./sign-state.ts";

/** Summaries that are read of a state: what it carries at most, and as many again that a host may have added. */
const MAX_SUMMARIES_READ = 512;
const MAX_UNDOS_READ = 64;

/** What stands in `last.head` where there was no system prompt. */
const NO_HEAD = contentHash("[]");

/** The transcript that a state is read for. */
export interface StateContext {
  readonly messages: readonly Message[];
  /** Where the leading system messages end. */
  readonly start: number;
  /** `chain[n]` names the first n messages after them. */
  readonly chain: readonly string[];
  readonly textHash: (text: string) => string;
  /** What states are signed with. None: nothing in a state is proven. */
  readonly keys: readonly string[];
  /** What was read before. */
  readonly genuine?: GenuineCheckpoints;
}

/** What a state held. */
export interface StateReading {
  readonly remembered: Remembered;
  /** Of a version that is known, and signed if there are keys; otherwise why it is of no use. */
  readonly usable: "yes" | "unknown" | "unsigned";
  /** Records that were damaged or changed, and are left out. */
  readonly damaged: number;
}

/** What can be believed of a state that a host handed back: anything stale, truncated or foreign is left out. */
export function readState(value: unknown, context: StateContext): StateReading {
  if (!isRecord(value) || value["version"] !== 2 || !isShallow(value))
    return { remembered: NOTHING_REMEMBERED, usable: "unknown", damaged: 0 };
  const { keys } = context;
  if (keys.length > 0 && !isSigned(value, keys))
    return { remembered: NOTHING_REMEMBERED, usable: "unsigned", damaged: 0 };
  const given = {
    checkpoints: newest(value["checkpoints"], MAX_CHECKPOINTS),
    summaries: newest(value["summaries"], MAX_SUMMARIES_READ),
    undos: newest(value["undos"], MAX_UNDOS_READ),
    texts: isRecord(value["texts"]) ? value["texts"] : {},
  };
  const { damaged, ...records } = readRecords(given, context);
  const last = isLast(value["last"]) ? value["last"] : undefined;
  const { head } = value;
  const trust: Pick<Remembered, "summaries" | "unproven" | "head"> =
    keys.length > 0
      ? { summaries: records.summaries, unproven: new Set(), ...(isText(head) && { head }) }
      : {
          summaries: records.summaries.map((one) => ({ ...one, unproven: true })),
          unproven: new Set(records.checkpoints.map(({ id }) => id)),
        };
  return {
    remembered: {
      ...records,
      ...trust,
      hadHead: last?.head !== undefined && last.head !== NO_HEAD,
      ...(last && { last }),
      branches: readBranches(value["branches"]),
      answers: readAnswers(value["answers"], context.chain[1]),
      recalled: readRecalled(value["recalled"]),
    },
    usable: "yes",
    damaged,
  };
}

/** Lists of a state, before anything in them is believed. */
interface GivenRecords {
  readonly checkpoints: readonly unknown[];
  readonly summaries: readonly unknown[];
  readonly undos: readonly unknown[];
  readonly texts: Readonly<Record<string, unknown>>;
}

/** Records that can be used, and how many could not. */
type ReadRecords = Pick<Remembered, "checkpoints" | "summaries" | "undos" | "elsewhere"> & {
  readonly damaged: number;
};

function readRecords(given: GivenRecords, context: StateContext): ReadRecords {
  const { chain } = context;
  const summaries = given.summaries.filter(isUntouched);
  const undos = given.undos.filter(isUndo);
  const checkpoints: Checkpoint[] = [];
  const elsewhere: Checkpoint[] = [];
  for (const one of given.checkpoints) {
    const checkpoint = isStateCheckpoint(one) ? withTexts(one, given.texts) : undefined;
    if (!checkpoint) continue;
    if (chain[checkpoint.length] !== checkpoint.hash) elsewhere.push(checkpoint);
    else {
      const genuine = asGenuine(checkpoint, context);
      if (genuine) checkpoints.push(genuine);
    }
  }
  const kept = checkpoints.length + elsewhere.length + summaries.length + undos.length;
  const all = given.checkpoints.length + given.summaries.length + given.undos.length;
  return { checkpoints, summaries, undos, elsewhere, damaged: all - kept };
}

/** The checkpoint with its own texts; undefined if one of them isn't there. */
function withTexts(
  checkpoint: StateCheckpoint,
  texts: Readonly<Record<string, unknown>>,
): Checkpoint | undefined {
  const own: Record<string, string> = {};
  for (const hash of textsIn(checkpoint.entries)) {
    const text = Object.hasOwn(texts, hash) ? texts[hash] : undefined;
    if (!isText(text)) return undefined;
    own[hash] = text;
  }
  return { ...checkpoint, texts: own };
}

/** The checkpoint, as an object that its host can't change; undefined if it isn't genuine. */
function asGenuine(checkpoint: Checkpoint, { textHash, genuine }: StateContext): Checkpoint | undefined {
  const known = genuine?.find(checkpoint);
  if (known) return known;
  if (!isGenuine(checkpoint, textHash)) return undefined;
  return genuine ? genuine.add(checkpoint) : checkpoint;
}

function isUntouched(value: unknown): value is Summary {
  return isSummary(value) && value.proof === summaryProof(value.key, value.text, value.notes);
}

/** The last ones of a list: states are written with the newest at their end. */
function newest(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(-most) : [];
}

function isLast(value: unknown): value is LastView {
  return (
    isRecord(value) &&
    isText(value["hash"]) &&
    isCount(value["length"]) &&
    Object.entries(value).every(([name, inner]) => name === "length" || isText(inner))
  );
}

function readBranches(value: unknown): readonly BranchView[] {
  return newest(value, MAX_BRANCHES).filter(isLast).map(asBranch);
}

/** What is remembered of a view once the chat went on in another branch. */
export function asBranch({ hash, length, checkpoint }: LastView): BranchView {
  return { hash, length, ...(checkpoint !== undefined && { checkpoint }) };
}

/** Passages that one user message has quoted at most: more don't fit its allowance. */
const MAX_PASSAGES = 64;

/** What a state or a store says was recalled, in this branch of the chat or in another; what is damaged is left out. */
function readRecalled(value: unknown): readonly Recalled[] {
  return Array.isArray(value) ? value.slice(-MAX_RECALLED).filter(isRecalled) : [];
}

function isRecalled(value: unknown): value is Recalled {
  return (
    isRecord(value) &&
    isText(value["hash"]) &&
    isCount(value["length"]) &&
    value["length"] > 0 &&
    isText(value["checkpoint"]) &&
    Number.isFinite(value["at"]) &&
    Array.isArray(value["passages"]) &&
    value["passages"].length > 0 &&
    value["passages"].length <= MAX_PASSAGES &&
    value["passages"].every(isPlace)
  );
}

function isPlace(value: unknown): value is PassagePlace {
  if (!Array.isArray(value) || value.length !== 4 || !value.every(isCount)) return false;
  const [, , from, to] = value as unknown as PassagePlace;
  return from < to;
}

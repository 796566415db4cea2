import { MAX_MODEL_NAME, MOST_ANSWER_TOKENS, mergeSizes } from "../budget.ts";
import { canonicalJson, type GenuineCheckpoints, isGenuine, summaryProof, textsIn } from "../checkpoint.ts";
import { EDIT_REASONS } from "../edit-reasons.ts";
import { contentHash, keyedHash } from "../hash.ts";
import { isRecord } from "../is-record.ts";
import type {
  AnswerSize,
  AnswerSizes,
  BranchView,
  Checkpoint,
  DropReason,
  EditReason,
  EntryRange,
  InsertMessage,
  LastView,
  Message,
  PassagePlace,
  Recalled,
  Records,
  State,
  StateCheckpoint,
  StoredEdit,
  Summary,
  Undo,
} from "../types.ts";

/** Checkpoints that a state carries at most. */
export const MAX_CHECKPOINTS = 8;
/** Other branches of a chat whose newest view a state remembers. */
export const MAX_BRANCHES = 4;
/** Models of which a state says what their answers took. */
export const MAX_ANSWER_MODELS = 4;
/** User messages of whose recalled passages a state tells: those since the last compaction that it is for. */
export const MAX_RECALLED = 200;

/** What is remembered of a conversation, ready for use. */
export interface Remembered extends Records {
  /** Checkpoints that this transcript doesn't begin with (another branch of the chat): they are carried along as they came. */
  readonly elsewhere: readonly Checkpoint[];
  /** Ids of checkpoints that came with a state which nobody signed. */
  readonly unproven: ReadonlySet<string>;
  /** The system prompt as JSON, where a proof says that it is the conversation's. */
  readonly head?: string;
  /** Earlier views had a system prompt. */
  readonly hadHead: boolean;
  readonly last?: LastView;
  /** What the newest views of other branches of the chat stood on. */
  readonly branches: readonly BranchView[];
  /** What answers of this conversation took, by model. */
  readonly answers: readonly AnswerSizes[];
  /** What views quote for user messages. */
  readonly recalled: readonly Recalled[];
}

const NOTHING_REMEMBERED: Remembered = {
  checkpoints: [],
  summaries: [],
  undos: [],
  elsewhere: [],
  unproven: new Set(),
  hadHead: false,
  branches: [],
  answers: [],
  recalled: [],
};

/** The records of both, each once. Those of the store, or made just now, are proven, and stand for the same ones of a state. */
export function mergeRecords(remembered: Remembered, more: Partial<Records>): Remembered {
  const checkpoints = new Map(
    [...remembered.checkpoints, ...(more.checkpoints ?? [])].map((one) => [one.id, one]),
  );
  const undos = new Map([...remembered.undos, ...(more.undos ?? [])].map((one) => [one.checkpoint, one]));
  const summaries = new Map(
    [...remembered.summaries, ...(more.summaries ?? [])].map((one) => [one.key, one]),
  );
  const recalled = new Map(
    [...remembered.recalled, ...(more.recalled ?? [])].map((one) => [`${one.checkpoint} ${one.hash}`, one]),
  );
  const proven = new Set(more.checkpoints?.map(({ id }) => id));
  return {
    ...remembered,
    unproven: remembered.unproven.difference(proven),
    checkpoints: [...checkpoints.values()],
    summaries: [...summaries.values()],
    undos: [...undos.values()],
    recalled: [...recalled.values()],
  };
}

/**
 * What a record from outside must look like before anything reads it. Only an object's own fields count: a name such as
 * `constructor` is none of them.
 */

const DROP_REASONS: Readonly<Record<DropReason, true>> = {
  orphan: true,
  budget: true,
  strategy: true,
  empty: true,
  reasoning: true,
};
const INSERT_ROLES: Readonly<Record<InsertMessage["role"], true>> = {
  user: true,
  system: true,
  assistant: true,
};

/** No record of ours is nested deeper than this; one that goes down thousands of levels would end in a stack overflow. */
const MOST_LEVELS = 8;

function isShallow(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels <= 0) return false;
  if (!Array.isArray(value)) {
    for (const inner of Object.values(value)) if (!isShallow(inner, levels - 1)) return false;
    return true;
  }
  for (let at = 0; at < value.length; at++) {
    // Checks of a list's items pass over holes, which JSON doesn't have.
    if (value[at] === undefined && !Object.hasOwn(value, at)) return false;
    if (!isShallow(value[at], levels - 1)) return false;
  }
  return true;
}

/** A whole number from 0 on. */
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isDropReason(value: unknown): value is DropReason {
  return isText(value) && Object.hasOwn(DROP_REASONS, value);
}

function isEditReason(value: unknown): value is EditReason {
  return isText(value) && Object.hasOwn(EDIT_REASONS, value);
}

function isInsertRole(value: unknown): value is InsertMessage["role"] {
  return isText(value) && Object.hasOwn(INSERT_ROLES, value);
}

/** Has it the shape of a checkpoint in a state? Whether its entries fit a transcript is seen where they are restored. */
function isStateCheckpoint(value: unknown): value is StateCheckpoint {
  if (!isRecord(value)) return false;
  const { tokens, seen, entries } = value;
  return (
    Array.isArray(entries) &&
    entries.every(isEntryRange) &&
    ["id", "hash", "dialect", "strategy", "reason", "rung"].every((name) => isText(value[name])) &&
    isCount(value["length"]) &&
    isCount(value["sealed"]) &&
    Number.isFinite(value["budget"]) &&
    Number.isFinite(value["at"]) &&
    (value["limit"] === undefined || Number.isFinite(value["limit"])) &&
    isRecord(tokens) &&
    Number.isFinite(tokens["before"]) &&
    Number.isFinite(tokens["after"]) &&
    isRecord(seen) &&
    isCount(seen["messages"]) &&
    isCount(seen["turns"]) &&
    isText(seen["hash"]) &&
    isCount(seen["length"]) &&
    (value["head"] === undefined || isText(value["head"]))
  );
}

function isEntryRange(value: unknown): value is EntryRange {
  if (!isRecord(value)) return false;
  const { type, from, to, index } = value;
  switch (type) {
    case "keep":
    case "cover":
    case "drop":
      return (
        isCount(from) &&
        isCount(to) &&
        from < to &&
        (type !== "cover" || isCount(value["by"])) &&
        (type !== "drop" || isDropReason(value["reason"]))
      );
    case "edit":
      return isCount(index) && Array.isArray(value["edits"]) && value["edits"].every(isStoredEdit);
    case "insert":
      return (
        isCount(value["by"]) &&
        isInsertRole(value["role"]) &&
        isText(value["text"]) &&
        (value["before"] === undefined || isCount(value["before"]))
      );
    default:
      return false;
  }
}

function isStoredEdit(value: unknown): value is StoredEdit {
  if (!isRecord(value) || !isEditReason(value["why"])) return false;
  if (value["type"] === "strip-reasoning" || value["type"] === "strip-fields") return true;
  if (!isText(value["text"])) return false;
  if (value["type"] === "append") return true;
  return (
    value["type"] === "replace" &&
    isCount(value["part"]) &&
    isCount(value["prefix"]) &&
    isCount(value["suffix"])
  );
}

/** A summary in the right shape; whether its text is the one that was written is for its proof to say. */
function isSummary(value: unknown): value is Summary {
  if (!isRecord(value)) return false;
  const { covers, tokens } = value;
  return (
    ["key", "text", "hash", "prompt", "model", "proof"].every((name) => isText(value[name])) &&
    (value["author"] === "model" || value["author"] === "user") &&
    (value["notes"] === undefined || isText(value["notes"])) &&
    (value["anew"] === undefined || value["anew"] === true) &&
    (value["unproven"] === undefined || value["unproven"] === true) &&
    isRecord(covers) &&
    isCount(covers["from"]) &&
    isCount(covers["to"]) &&
    isCount(value["level"]) &&
    Number.isFinite(value["at"]) &&
    isRecord(tokens) &&
    Number.isFinite(tokens["source"]) &&
    Number.isFinite(tokens["text"])
  );
}

function isUndo(value: unknown): value is Undo {
  return (
    isRecord(value) &&
    isText(value["checkpoint"]) &&
    Number.isFinite(value["at"]) &&
    Number.isFinite(value["pressure"]) &&
    (value["why"] === undefined || value["why"] === "larger-budget")
  );
}

/** What a state or a store says about answers of this conversation; what is damaged or of another one is left out. */
export function readAnswers(value: unknown, conversation: string | undefined): readonly AnswerSizes[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly unknown[]).slice(-MAX_ANSWER_MODELS).flatMap((one) => {
    if (!isRecord(one) || one["hash"] !== conversation || !isText(one["hash"])) return [];
    const { hash, model, sizes } = one;
    if (!isText(model) || model.length > MAX_MODEL_NAME || !Array.isArray(sizes)) return [];
    return [{ hash, model, sizes: mergeSizes([], sizes.filter(isSize)) }];
  });
}

function isSize(value: unknown): value is AnswerSize {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    isCount(value[0]) &&
    isCount(value[1]) &&
    value[1] <= 2 * MOST_ANSWER_TOKENS
  );
}

/** The state with a proof that only who has the key can make: HMAC-SHA-256 of all the rest. */
export function signState(state: Omit<State, "proof">, key: string): State {
  return { ...state, proof: proofOf(state, key) };
}

/** Was the state signed with one of these keys, and nothing in it changed since? */
function isSigned(state: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  const { proof, ...rest } = state;
  return isText(proof) && keys.some((key) => isSame(proof, proofOf(rest, key)));
}

function proofOf(state: object, key: string): string {
  // Databases give objects back with their fields in another order.
  return keyedHash(key, canonicalJson(state));
}

/** Takes as long whether the first or the last character differs, so that a proof can't be guessed sign by sign. */
function isSame(given: string, proof: string): boolean {
  let difference = given.length ^ proof.length;
  for (let at = 0; at < proof.length; at++) difference |= given.charCodeAt(at) ^ proof.charCodeAt(at);
  return difference === 0;
}

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

import { MAX_MODEL_NAME, MOST_ANSWER_TOKENS, mergeSizes } from "../budget.ts";
import { canonicalJson, isGenuine, summaryProof, textsIn } from "../checkpoint.ts";
import { EDIT_REASONS } from "../edits.ts";
import { contentHash, keyedHash } from "../hash.ts";
import { isRecord } from "../json.ts";
import type {
  AnswerSize,
  AnswerSizes,
  BranchView,
  Checkpoint,
  DropReason,
  InsertMessage,
  LastView,
  Message,
  Recalled,
  Records,
  Run,
  State,
  StateCheckpoint,
  Summary,
  Undo,
} from "../types.ts";

/** Checkpoints that a state carries at most, other branches of the chat whose newest view it remembers, and models whose answers it knows. */
export const MAX_CHECKPOINTS = 8;
/** Records of another kind that are read of a state, and passages of one of them: more than a state carries, and a host may have added some. */
export const MAX_READ = 512;

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

type Test = (value: unknown) => boolean;

const isText = (value: unknown): value is string => typeof value === "string";
/** A whole number from 0 on. */
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isNumber: Test = (value) => Number.isFinite(value);
const maybe =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);
const only =
  (one: unknown): Test =>
  (value) =>
    value === one;
const nameIn =
  (names: object): Test =>
  (value) =>
    isText(value) && Object.hasOwn(names, value);
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
/** An object with these fields, and what others there may be. */
const shape = <T>(fields: { readonly [K in keyof Required<T>]: Test }) => {
  const tests = Object.entries<Test>(fields);
  return (value: unknown): value is T => isRecord(value) && tests.every(([name, test]) => test(value[name]));
};
/** One of several kinds of objects, by what they call themselves. */
const kindOf =
  (kinds: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isRecord(value) && nameIn(kinds)(value["type"]) && kinds[value["type"] as string]!(value);
/** A range of messages with what else it says. */
const rangeOf = (fields: Readonly<Record<string, Test>> = {}): Test => {
  const isRange = shape<Run>({ from: isCount, to: isCount, ...fields });
  return (value) => isRange(value) && value.from < value.to;
};

const why = nameIn(EDIT_REASONS);
const isStoredEdit = kindOf({
  "strip-reasoning": shape({ why }),
  "strip-fields": shape({ why }),
  append: shape({ why, text: isText }),
  replace: shape({ why, text: isText, part: isCount, prefix: isCount, suffix: isCount }),
});
const isEntryRange = kindOf({
  keep: rangeOf(),
  cover: rangeOf({ by: isCount }),
  drop: rangeOf({ reason: nameIn(DROP_REASONS) }),
  edit: shape({ index: isCount, edits: listOf(isStoredEdit) }),
  insert: shape({ by: isCount, role: nameIn(INSERT_ROLES), text: isText, before: maybe(isCount) }),
});
/** Has it the shape of a checkpoint in a state? Whether its entries fit a transcript is seen where they are restored. */
const isStateCheckpoint = shape<StateCheckpoint>({
  id: isText,
  hash: isText,
  length: isCount,
  dialect: isText,
  strategy: isText,
  budget: isNumber,
  entries: listOf(isEntryRange),
  at: isNumber,
  reason: isText,
  limit: maybe(isNumber),
  rung: isText,
  tokens: shape({ before: isNumber, after: isNumber }),
  sealed: isCount,
  seen: shape({ messages: isCount, turns: isCount, hash: isText, length: isCount }),
  head: maybe(isText),
});
/** A summary in the right shape; whether its text is the one that was written is for its proof to say. */
const isSummary = shape<Summary>({
  key: isText,
  text: isText,
  notes: maybe(isText),
  hash: isText,
  covers: shape({ from: isCount, to: isCount }),
  level: isCount,
  prompt: isText,
  model: isText,
  author: nameIn({ model: true, user: true }),
  anew: maybe(only(true)),
  tokens: shape({ source: isNumber, text: isNumber }),
  at: isNumber,
  proof: isText,
  unproven: maybe(only(true)),
});
const isUndo = shape<Undo>({
  checkpoint: isText,
  at: isNumber,
  why: maybe(only("larger-budget")),
  pressure: isNumber,
});
const isLast = shape<LastView>({
  hash: isText,
  length: isCount,
  checkpoint: maybe(isText),
  head: maybe(isText),
  broughtBack: maybe(isText),
  reworded: maybe(isText),
  recalled: maybe(isText),
});
const isPlace: Test = (value) =>
  Array.isArray(value) && value.length === 4 && value.every(isCount) && value[2]! < value[3]!;
const isRecalled = shape<Recalled>({
  hash: isText,
  length: (value) => isCount(value) && value > 0,
  checkpoint: isText,
  passages: (value) =>
    listOf(isPlace)(value) &&
    (value as readonly unknown[]).length > 0 &&
    (value as readonly unknown[]).length <= MAX_READ,
  at: isNumber,
});

/** What a state or a store says about answers of this conversation; what is damaged or of another one is left out. */
export function readAnswers(value: unknown, conversation: string | undefined): readonly AnswerSizes[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly unknown[]).slice(-MAX_CHECKPOINTS).flatMap((one) => {
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

/** What stands in `last.head` where there was no system prompt. */
const NO_HEAD = contentHash("[]");

/** The transcript that a state is read for. */
export interface StateContext {
  readonly messages: readonly Message[];
  /** Where the leading system messages end. */
  readonly start: number;
  /** `chain[n]` names the first n messages after them. */
  readonly chain: readonly string[];
  /** What states are signed with. None: nothing in a state is proven. */
  readonly keys: readonly string[];
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
    summaries: newest(value["summaries"], MAX_READ),
    undos: newest(value["undos"], MAX_READ),
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
      branches: newest(value["branches"], MAX_CHECKPOINTS).filter(isLast).map(asBranch),
      answers: readAnswers(value["answers"], context.chain[1]),
      recalled: newest(value["recalled"], MAX_READ).filter(isRecalled),
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
    else if (isGenuine(checkpoint)) checkpoints.push(checkpoint);
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

function isUntouched(value: unknown): value is Summary {
  return isSummary(value) && value.proof === summaryProof(value.key, value.text, value.notes);
}

/** The last ones of a list: states are written with the newest at their end. */
function newest(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(-most) : [];
}

/** What is remembered of a view once the chat went on in another branch. */
export function asBranch({ hash, length, checkpoint }: LastView): BranchView {
  return { hash, length, ...(checkpoint !== undefined && { checkpoint }) };
}

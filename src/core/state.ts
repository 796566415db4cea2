import { stringifyDeep } from "./deep-json.ts";
import { contentHash } from "./hash.ts";
import type { Checkpoint, Records, State, Summary, Undo } from "./types.ts";

/** Checkpoints that a state carries at most. */
const MAX_CHECKPOINTS = 8;
/** Summaries that a state carries at most: more than eight of each of eight levels never matter at once. */
const MAX_SUMMARIES = 64;
/** A state may be this large, or this share of the transcript, whichever is more (characters of JSON). */
const LEAST_LIMIT = 64 * 1024;
const TRANSCRIPT_SHARE = 0.02;

export const EMPTY_STATE: State = { version: 1, checkpoints: [], summaries: [], undos: [] };

/** A state of this version, whatever its records are worth. */
export function isState(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && value["version"] === 1;
}

/** What can be believed of a state that a host handed back: anything stale, truncated or foreign is left out. */
export function readState(value: unknown): State {
  if (!isState(value)) return EMPTY_STATE;
  const { last, head } = value;
  return {
    version: 1,
    checkpoints: list(value["checkpoints"]).filter(isCheckpoint),
    summaries: list(value["summaries"]).filter(isSummaryRecord),
    undos: list(value["undos"]).filter(isUndo),
    ...(Array.isArray(head) && { head }),
    ...(isLast(last) && { last }),
  };
}

/** The state to hand out: the newest records within the limit. Older ones can be made again. */
export function boundState(state: State, transcriptCharacters: number): State {
  const limit = Math.max(LEAST_LIMIT, Math.floor(transcriptCharacters * TRANSCRIPT_SHARE));
  let checkpoints = [...state.checkpoints]
    .sort((a, b) => a.at - b.at || a.length - b.length)
    .slice(-MAX_CHECKPOINTS);
  let summaries = [...state.summaries].sort((a, b) => a.at - b.at).slice(-MAX_SUMMARIES);
  let { head } = state;
  const build = (): State => {
    const ids = new Set(checkpoints.map((one) => one.id));
    return {
      version: 1,
      checkpoints,
      summaries,
      undos: state.undos.filter((undo) => ids.has(undo.checkpoint)),
      ...(head && { head }),
      ...(state.last && { last: state.last }),
    };
  };
  const size = () =>
    sizeOf(checkpoints) + sizeOf(summaries) + (head ? stringifyDeep(head).length : 0) + BARE_STATE;
  while (size() > limit) {
    if (checkpoints.length > 1) checkpoints = checkpoints.slice(1);
    else if (head) head = undefined;
    else if (summaries.length > 0) summaries = summaries.slice(Math.ceil(summaries.length / 4));
    else if (checkpoints.length > 0) checkpoints = [];
    else break;
  }
  return build();
}

/** What a state without records takes, with some room for undos. */
const BARE_STATE = 2_000;

/** Records never change, so their size needn't be measured on every call. */
const sizes = new WeakMap<object, number>();

function sizeOf(records: readonly object[]): number {
  return records.reduce((sum, record) => {
    const size = sizes.get(record) ?? JSON.stringify(record).length;
    sizes.set(record, size);
    return sum + size;
  }, 0);
}

/** The records of both, each once. */
export function mergeRecords(state: State, more: Partial<Records>): State {
  const checkpoints = new Map(
    [...state.checkpoints, ...(more.checkpoints ?? [])].map((one) => [one.id, one]),
  );
  const undos = new Map([...state.undos, ...(more.undos ?? [])].map((one) => [one.checkpoint, one]));
  const summaries = new Map([...state.summaries, ...(more.summaries ?? [])].map((one) => [one.key, one]));
  return {
    ...state,
    checkpoints: [...checkpoints.values()],
    summaries: [...summaries.values()],
    undos: [...undos.values()],
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isCheckpoint(value: unknown): value is Checkpoint {
  return (
    isRecord(value) &&
    typeof value["id"] === "string" &&
    typeof value["hash"] === "string" &&
    Number.isInteger(value["length"]) &&
    typeof value["dialect"] === "string" &&
    typeof value["strategy"] === "string" &&
    Number.isFinite(value["budget"]) &&
    Number.isFinite(value["at"]) &&
    Array.isArray(value["entries"]) &&
    value["entries"].every(isRecord) &&
    isRecord(value["texts"]) &&
    isRecord(value["tokens"]) &&
    Number.isInteger(value["sealed"]) &&
    isRecord(value["seen"])
  );
}

function isSummaryRecord(value: unknown): value is Summary {
  return (
    isRecord(value) &&
    typeof value["key"] === "string" &&
    typeof value["text"] === "string" &&
    typeof value["hash"] === "string" &&
    isRecord(value["covers"]) &&
    Number.isInteger(value["covers"]["from"]) &&
    Number.isInteger(value["covers"]["to"]) &&
    Number.isInteger(value["level"]) &&
    Number.isFinite(value["at"]) &&
    isRecord(value["tokens"]) &&
    Number.isFinite(value["tokens"]["text"]) &&
    value["proof"] === summaryProof(value["key"], value["text"])
  );
}

/** What shows that a summary's text is the one that was written. */
export function summaryProof(key: string, text: string): string {
  return contentHash(`${key}\n${text}`);
}

function isUndo(value: unknown): value is Undo {
  return isRecord(value) && typeof value["checkpoint"] === "string" && Number.isFinite(value["pressure"]);
}

function isLast(value: unknown): value is NonNullable<State["last"]> {
  return isRecord(value) && typeof value["hash"] === "string" && Number.isInteger(value["length"]);
}

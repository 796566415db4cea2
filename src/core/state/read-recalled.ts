import { isRecord } from "../is-record.ts";
import type { PassagePlace, Recalled } from "../types.ts";
import { MAX_RECALLED } from "./limits.ts";
import { isCount, isText } from "./record-checks.ts";

/** Passages that one user message has quoted at most: more don't fit its allowance. */
const MAX_PASSAGES = 64;

/** What a state or a store says was recalled, in this branch of the chat or in another; what is damaged is left out. */
export function readRecalled(value: unknown): readonly Recalled[] {
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

import { canonicalJson } from "../checkpoint.ts";
import { keyedHash } from "../hash.ts";
import type { State } from "../types.ts";
import { isText } from "./record-checks.ts";

/** The state with a proof that only who has the key can make: HMAC-SHA-256 of all the rest. */
export function signState(state: Omit<State, "proof">, key: string): State {
  return { ...state, proof: proofOf(state, key) };
}

/** Was the state signed with one of these keys, and nothing in it changed since? */
export function isSigned(state: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
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

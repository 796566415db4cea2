import type { Json } from "../../apis/shared/fields.ts";
import type { Chain } from "../../core/chain.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { isExactNumber } from "../../core/exact-json.ts";

/** What comes in smaller bodies is read faster than it is looked up (bytes). */
export const LEAST_BYTES = 8_192;
/** What is remembered of bodies, in all (bytes of JSON). */
const MAX_BYTES = 24 * 1024 * 1024;
/** One body may take this share of it. */
const MAX_SHARE = 4;
/** Fields that hold the messages. */
const MESSAGE_LISTS = ["messages", "input", "contents"] as const;
/** Lists that begin alike are told apart by so many of their first messages: the system prompt and the first question. */
const FOUND_BY = 2;
/** Lists that begin alike and are remembered, the newest of them: branches of a conversation, sub-agents with the same task. */
const MAX_TWINS = 4;
/** What is nested deeper than this is compared as text, which needs no stack. */
const MAX_DEPTH = 20;

interface Known {
  readonly messages: readonly unknown[];
  readonly bytes: number;
}

/**
 * Clients send a conversation again with a few messages more. What is remembered of messages (how they are read, counted, hashed)
 * hangs on the objects, so those of an earlier body take the place of new ones that are the same.
 */
export function createKnownMessages(maxBytes = MAX_BYTES): (body: Json, bytes: number) => Json {
  const byKey = new Map<string, readonly Known[]>();
  let total = 0;
  const put = (key: string, all: readonly Known[]): void => {
    for (const { bytes } of byKey.get(key) ?? []) total -= bytes;
    byKey.delete(key);
    if (all.length > 0) byKey.set(key, all);
    for (const { bytes } of all) total += bytes;
  };

  return (body, bytes) => {
    if (bytes < LEAST_BYTES || bytes > maxBytes / MAX_SHARE) return body;
    const name = MESSAGE_LISTS.find((one) => Array.isArray(body[one]));
    const list = name && (body[name] as readonly unknown[]);
    if (!list || list.length === 0) return body;
    const key = keyOf(list);
    const twins = byKey.get(key) ?? [];
    let best: Known | undefined;
    let shared = 0;
    for (const known of twins) {
      const same = sharedBy(known.messages, list);
      if (same <= shared) continue;
      best = known;
      shared = same;
    }
    const messages = best ? [...best.messages.slice(0, shared), ...list.slice(shared)] : list;
    // What the new one has all of will not be asked for again.
    const others = twins.filter((one) => one !== best || shared < one.messages.length);
    put(key, [{ messages, bytes }, ...others].slice(0, MAX_TWINS));
    for (const [oldest] of byKey) {
      if (total <= maxBytes) break;
      put(oldest, []);
    }
    return best ? { ...body, [name]: messages } : body;
  };
}

function keyOf(list: readonly unknown[]): string {
  return list
    .slice(0, FOUND_BY)
    .map((message) => {
      const text = stringifyDeep(message);
      return `${text.length} ${text.slice(-KEY_CHARS)}`;
    })
    .join("\n");
}

/** Characters of a message in the key: its end, because system prompts begin alike. */
const KEY_CHARS = 200;

/** Messages at the beginning that are the same. */
function sharedBy(known: readonly unknown[], list: readonly unknown[]): number {
  let same = 0;
  while (same < known.length && same < list.length && isSame(known[same], list[same])) same++;
  return same;
}

/** Would both be the same JSON text? */
function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth > MAX_DEPTH || isExactNumber(a) || isExactNumber(b)) return stringifyDeep(a) === stringifyDeep(b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    if (key !== others[at] || !isSame((a as Json)[key], (b as Json)[key], depth + 1)) return false;
  }
  return true;
}

/** A client that goes on adds a few messages at a time; further back nobody looks. */
const LOOK_BACK = 64;

/** Chains of transcripts whose messages come again as the same objects, each with a few more. */
export interface KnownChains {
  /** The chain of the messages that a transcript begins with, to be gone on with. */
  take(transcript: readonly unknown[]): Chain | undefined;
  keep(transcript: readonly unknown[], chain: Chain): void;
}

/** Each is found by its last message, and forgotten together with it. */
export function createKnownChains(): KnownChains {
  const byLast = new WeakMap<object, { readonly transcript: readonly unknown[]; readonly chain: Chain }>();
  return {
    take(transcript) {
      const stop = Math.max(0, transcript.length - LOOK_BACK);
      for (let at = transcript.length - 1; at >= stop; at--) {
        const last = transcript[at];
        const known = isObject(last) ? byLast.get(last) : undefined;
        if (!isObject(last) || !known || known.transcript.length !== at + 1) continue;
        if (!known.transcript.every((message, index) => message === transcript[index])) continue;
        byLast.delete(last);
        return known.chain;
      }
      return undefined;
    },
    keep(transcript, chain) {
      const last = transcript.at(-1);
      if (isObject(last)) byLast.set(last, { transcript, chain });
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

import { isUtf8 } from "node:buffer";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { parseExact } from "../../core/exact-json.ts";
import { findList, scanList } from "../http/json-scan.ts";
import { MESSAGE_LISTS } from "../http/parse-list.ts";
import { parseObject } from "../http/read-body.ts";

/** Smaller bodies are parsed faster than they are looked up (bytes). */
export const LEAST_BYTES = 8_192;
/** Bodies that are remembered, in all (bytes). What was parsed of them takes about as much again. */
const MAX_BYTES = 24 * 1024 * 1024;
/** One body may take this share of it. */
const MAX_SHARE = 4;
/** A body is found by samples of 16 bytes, one from every so many bytes. */
const STEP = 1_024;
const SAMPLE = 16;
/** Bodies with the same samples that are looked at. */
const MAX_TWINS = 16;
/** Ends of messages by which a body is found, from its last: clients change marks in their newest messages. */
const FOUND_BY = [0, 2, 5] as const;

/** A body that was parsed, with the ends of its messages in it. */
interface KnownBody {
  readonly bytes: Buffer;
  /** The fields before the list of messages. */
  readonly before: Json;
  readonly list: string;
  readonly messages: readonly unknown[];
  readonly ends: readonly number[];
  readonly keys: readonly number[];
}

/** Parses bodies that mostly are longer versions of ones parsed before. */
export interface KnownBodies {
  /** The messages that a body shares with an earlier one are the very same objects. */
  parse(bytes: Buffer): Json;
}

/** Clients send a conversation again with a few messages more: what is the same byte for byte isn't parsed again. */
export function createKnownBodies(maxBytes = MAX_BYTES): KnownBodies {
  const bodies = new Set<KnownBody>();
  const byKey = new Map<number, KnownBody[]>();
  let total = 0;

  const forget = (body: KnownBody): void => {
    if (!bodies.delete(body)) return;
    total -= body.bytes.length;
    for (const key of body.keys) {
      const left = (byKey.get(key) ?? []).filter((one) => one !== body);
      if (left.length === 0) byKey.delete(key);
      else byKey.set(key, left);
    }
  };
  const remember = (body: KnownBody): void => {
    bodies.add(body);
    total += body.bytes.length;
    for (const key of body.keys) byKey.set(key, [...(byKey.get(key) ?? []).slice(1 - MAX_TWINS), body]);
    for (const oldest of bodies) {
      if (total <= maxBytes) break;
      forget(oldest);
    }
  };
  /** The body with the longest common beginning, and how many of its messages that holds. */
  const find = (bytes: Buffer, samples: Int32Array): { body: KnownBody; shared: number } | undefined => {
    let partly: KnownBody | undefined;
    for (let count = samples.length - 1; count > 0; count--) {
      for (const body of byKey.get(samples[count]!) ?? []) {
        if (sharesAll(body, bytes)) return { body, shared: body.ends.length };
        partly ??= body;
      }
      if (partly) break;
    }
    if (!partly) return undefined;
    const shared = sharedMessages(partly, bytes);
    return shared > 0 ? { body: partly, shared } : undefined;
  };

  return {
    parse(bytes) {
      if (bytes.length < LEAST_BYTES || bytes.length > maxBytes / MAX_SHARE) return parseObject(bytes);
      const samples = samplesOf(bytes);
      const found = find(bytes, samples);
      const parsed = (found && parseRest(bytes, found.body, found.shared)) ?? parseWhole(bytes);
      if (!parsed.known) return parsed.json;
      const { ends } = parsed.known;
      const keys = FOUND_BY.flatMap((back) => {
        const end = ends.at(-1 - back);
        return end === undefined || countAt(end) < 1 ? [] : [samples[countAt(end)]!];
      });
      // What the new one has all of will not be asked for again.
      if (found && found.shared === found.body.ends.length) forget(found.body);
      remember({ ...parsed.known, bytes: ownBytes(bytes), keys: [...new Set(keys)] });
      return parsed.json;
    },
  };
}

/** A body that came in one piece is a part of a larger buffer, which would be kept along with it. */
function ownBytes(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength > 2 * bytes.length ? Buffer.from(bytes) : bytes;
}

interface Parsed {
  readonly json: Json;
  /** Undefined for a body without a list of messages. */
  readonly known?: Omit<KnownBody, "keys">;
}

function parseWhole(bytes: Buffer): Parsed {
  const json = parseObject(bytes);
  const found = findList(bytes, MESSAGE_LISTS);
  const list = found && scanList(bytes, found.open);
  const messages = found && json[found.name];
  if (!found || !list || !Array.isArray(messages) || messages.length !== list.ends.length) return { json };
  const { "": _, ...before } = parseExact(`${bytes.toString("utf8", 0, found.key)}"":0}`) as Json;
  return { json, known: { bytes, before, list: found.name, messages, ends: list.ends } };
}

/** Only what comes behind the messages that are known. Undefined if it isn't what it looks like. */
function parseRest(bytes: Buffer, known: KnownBody, shared: number): Parsed | undefined {
  const cut = known.ends[shared - 1]!;
  const scanned = scanList(bytes, cut);
  if (!scanned) return undefined;
  const { ends, close } = scanned;
  if (!isUtf8(bytes.subarray(cut))) return undefined;
  try {
    const fresh: unknown = parseExact(`[0${bytes.toString("utf8", cut, close)}]`);
    const after: unknown = parseExact(`{"":0${bytes.toString("utf8", close + 1)}`);
    if (!Array.isArray(fresh) || fresh.length !== ends.length + 1 || !isJson(after)) return undefined;
    const { "": _, ...fields } = after;
    // Twice the same field: which of the two counts is for the parser to say.
    if (Object.keys(fields).some((name) => name === known.list || Object.hasOwn(known.before, name)))
      return undefined;
    const messages = [...known.messages.slice(0, shared), ...fresh.slice(1)];
    return {
      json: { ...known.before, [known.list]: messages, ...fields },
      known: {
        bytes,
        before: known.before,
        list: known.list,
        messages,
        ends: [...known.ends.slice(0, shared), ...ends],
      },
    };
  } catch {
    return undefined;
  }
}

function sharesAll({ bytes: known, ends }: KnownBody, bytes: Buffer): boolean {
  const end = ends.at(-1) ?? 0;
  if (end === 0 || end > bytes.length || known[end - 2] !== bytes[end - 2]) return false;
  return bytes.compare(known, 0, end, 0, end) === 0;
}

/** Messages at the beginning that are the same byte for byte. */
function sharedMessages({ bytes: known, ends }: KnownBody, bytes: Buffer): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const from = low === 0 ? 0 : ends[low - 1]!;
    const end = ends[middle - 1]!;
    if (end <= bytes.length && bytes.compare(known, from, end, from, end) === 0) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** How many samples lie wholly before a byte. */
function countAt(end: number): number {
  return Math.max(0, Math.floor((end - SAMPLE) / STEP) + 1);
}

/** `samples[n]` stands for the first n samples. */
function samplesOf(bytes: Buffer): Int32Array {
  const count = countAt(bytes.length);
  const samples = new Int32Array(count + 1);
  let hash = 0;
  for (let index = 0; index < count; index++) {
    for (let at = index * STEP; at < index * STEP + SAMPLE; at += 4)
      hash = Math.imul((hash << 5) ^ (hash >>> 27) ^ bytes.readInt32LE(at), 0x9e3779b1);
    samples[index + 1] = hash;
  }
  return samples;
}

import { crc32 } from "node:zlib";
import type { Append } from "../../src/stores/server-store.ts";

/** An append as version 0.1 wrote it into a journal; `position` is how long its conversation was. */
export interface OldRecord {
  readonly tenant: string;
  readonly id: string;
  readonly input: Append;
  readonly position: number;
}

const VERSION = 2;
const hex = (value: number) => (value >>> 0).toString(16).padStart(8, "0");

/** A journal of version 0.1. */
export function oldJournal(...records: readonly OldRecord[]): Buffer {
  return Buffer.concat(records.map(recordBytes));
}

function recordBytes({ tenant, id, position, input }: OldRecord): Buffer {
  const { head, title, at, conversation, session, named, isNew, after, dialect, model, ttlMs } = input;
  const bytesOf = (text: string | undefined) => (text === undefined ? undefined : Buffer.byteLength(text));
  const facts = [at, conversation, session, named, isNew, after, dialect, model, ttlMs];
  const messages = input.messages.flatMap(({ wire, hash, role, at: said, tokens, answer }) => [
    bytesOf(wire),
    hash,
    role,
    said,
    tokens,
    answer,
  ]);
  const values = [VERSION, tenant, id, position, bytesOf(head), bytesOf(title), ...facts, ...messages];
  const json = Buffer.from(JSON.stringify(values));
  const texts = [head ?? "", title ?? "", ...input.messages.map(({ wire }) => wire)].join("");
  const all = Buffer.concat([Buffer.from(texts), json]);
  return Buffer.concat([Buffer.from(`${hex(all.length)} ${hex(crc32(all))} ${hex(json.length)}\n`), all]);
}

import { dialectById } from "../../../apis/dialect-by-id.ts";
import { parseExact } from "../../../core/exact-json.ts";
import type { Dialect, Message } from "../../../core/types.ts";
import { type ByKind, type Kind, readMessage } from "../../../recall/candidates.ts";
import { nodesOf } from "../tree.ts";

/** Documents of the index: the passages of messages. Their numbers say where they stand: the message's node, the passage in it. */
const PASSAGES = 2 ** 8;

/** The documents that a conversation can have, given its key. */
export function rangeOf(key: number): readonly [from: number, to: number] {
  const [from, to] = nodesOf(key);
  return [from * PASSAGES, to * PASSAGES - 1];
}

/** The node of the message that a document is of. */
export function nodeOf(document: number): number {
  return Math.floor(document / PASSAGES);
}

/** Numbers by kind of passage, of a conversation or of a tenant. */
export interface Totals {
  readonly messages: ByKind;
  readonly passages: ByKind;
  readonly terms: ByKind;
}

export const NO_TOTALS: Totals = {
  messages: { user: 0, assistant: 0, data: 0 },
  passages: { user: 0, assistant: 0, data: 0 },
  terms: { user: 0, assistant: 0, data: 0 },
};

export function addTotals(one: Totals, other: Totals, sign: 1 | -1 = 1): Totals {
  const add = (a: ByKind, b: ByKind): ByKind => ({
    user: a.user + sign * b.user,
    assistant: a.assistant + sign * b.assistant,
    data: a.data + sign * b.data,
  });
  return {
    messages: add(one.messages, other.messages),
    passages: add(one.passages, other.passages),
    terms: add(one.terms, other.terms),
  };
}

/** A term with the kind of passage that it stands in, so that each kind can be counted. */
export function keyOf(kind: Kind, term: string): string {
  return `${kind[0]}-${term.replace(SEPARATORS, "_")}`;
}

/** What the index would take for the end of a term. Characters that look alike to it may count as one. */
const SEPARATORS = /[^a-z0-9\-./~@$_\u0080-\uffff]/g;

/** Tenants never meet in the index: each has terms of its own. */
export function tokenOf(tenant: number, key: string): string {
  return `${tenant.toString(36)}-${key}`;
}

export interface StoredText {
  /** The message's node. */
  readonly id: number | string;
  readonly wire: string;
}

/** What messages add to the index. */
export interface Documents {
  readonly documents: readonly { readonly number: number; readonly keys: readonly string[] }[];
  readonly totals: Totals;
}

export function documentsOf(dialectId: string | null, messages: readonly StoredText[]): Documents {
  const dialect = dialectById(dialectId ?? "openai-chat");
  const documents: { number: number; keys: string[] }[] = [];
  let totals = NO_TOTALS;
  for (const { id, wire } of messages) {
    const message = readWire(dialect, wire);
    if (!message) continue;
    const read = readMessage(message);
    const start = Number(id) * PASSAGES;
    const own = {
      messages: { ...NO_TOTALS.messages },
      passages: { ...NO_TOTALS.messages },
      terms: { ...NO_TOTALS.messages },
    };
    own.messages[read.message.kind] = 1;
    for (const [index, { passage, counts }] of read.passages.entries()) {
      const keys = [...new Set([...counts.keys()].map((term) => keyOf(passage.kind, term)))];
      // The last ones of a very long message share a number.
      documents.push({ number: start + Math.min(index, PASSAGES - 1), keys });
      own.passages[passage.kind]++;
      own.terms[passage.kind] += passage.terms;
    }
    totals = addTotals(totals, own);
  }
  return { documents, totals };
}

/** A stored message; undefined for what its dialect can't read, which nobody can search. */
export function readWire(dialect: Dialect<unknown>, wire: string): Message | undefined {
  try {
    return dialect.read(parseExact(wire));
  } catch {
    return undefined;
  }
}

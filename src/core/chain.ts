import { HUGE_CHARS } from "./collections.ts";
import { contentHash, LONG_TEXT } from "./hash.ts";
import { tryParseReadable } from "./json.ts";
import type { Message } from "./types.ts";

/** What every link's text begins with; the number is the version of the canonical form. */
const VERSION = "precis/chain/2";

/** One place in a chain: the messages up to there, by name. It never changes, so that several may go on from it. */
export interface Link {
  readonly hash: string;
  readonly calls: CallIds;
}

/**
 * Ids of tool calls by their order of appearance. It never changes: one with an id more is another one, and shares what
 * both know with it as long as nobody else has gone on from there.
 */
class CallIds {
  readonly #ordinals: Map<string, number>;
  readonly #count: number;

  constructor(ordinals = new Map<string, number>(), count = ordinals.size) {
    this.#ordinals = ordinals;
    this.#count = count;
  }

  /** An id's order of appearance; undefined if it is new. */
  ordinalOf(id: string): number | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal !== undefined && ordinal < this.#count ? ordinal : undefined;
  }

  /** With one more id, which gets the number `size`. */
  with(id: string): CallIds {
    const isShared = this.#ordinals.size > this.#count;
    const ordinals = isShared ? new Map([...this.#ordinals].slice(0, this.#count)) : this.#ordinals;
    ordinals.set(id, this.#count);
    return new CallIds(ordinals, this.#count + 1);
  }

  get size(): number {
    return this.#count;
  }
}

/** Where every chain begins. */
export const FIRST_LINK: Link = { hash: contentHash(VERSION), calls: new CallIds() };

/**
 * The place behind one more message. Its name is one hash of the name before it and of the message in its canonical
 * form, which leaves out what real clients change between two calls of one conversation: `cache_control` markers
 * and message ids (a dialect doesn't read them), tool-call ids (replaced by their order of appearance), reasoning
 * (clients drop it from older messages), the spaces between the tokens of a call's arguments, those around an
 * assistant's text, and all of a spoken answer but its id. Content as a string and as one text part is the same, and so are no content and an empty one.
 */
export function nextLink(before: Link, message: Message): Link {
  let { calls } = before;
  const ordinal = (id: string): number => {
    const known = calls.ordinalOf(id);
    if (known !== undefined) return known;
    calls = calls.with(id);
    return calls.size - 1;
  };
  let form = `${VERSION} ${before.hash} ${message.role}`;
  for (const part of message.parts) {
    switch (part.type) {
      case "text": {
        const text = message.role === "assistant" ? part.text.trim() : part.text;
        if (text !== "" || message.role !== "assistant") form += `\ntext${pieceOf(text)}`;
        break;
      }
      case "image":
      case "file":
        form += `\n${part.type}${pieceOf(part.source)}`;
        break;
      case "frame":
        form += `\nframe ${part.count}${pieceOf(part.source)}`;
        break;
      case "reasoning":
        break;
      case "tool-call":
        form += `\ncall ${ordinal(part.id)}${pieceOf(part.name)}${pieceOf(canonicalArgs(part.asDoubles ?? part.args))}`;
        break;
      case "tool-result":
        form += `\nresult ${ordinal(part.id)} ${part.error === true}${pieceOf(part.text)}`;
        for (const media of part.media ?? []) form += pieceOf(media.source);
        break;
      case "other":
        form += `\nother${pieceOf(part.kind)}${pieceOf(part.comesBackAs ?? part.json)}`;
        break;
      default:
        part satisfies never;
    }
  }
  return { hash: contentHash(form), calls };
}

/** With its length before it, so that no text can pass for several; a long one by its hash. */
function pieceOf(text: string): string {
  return text.length < LONG_TEXT ? ` ${text.length}:${text}` : ` #${contentHash(text)}`;
}

/** Clients that keep arguments as values write them anew, with other spaces. */
function canonicalArgs(args: string): string {
  if (args.length > HUGE_CHARS || !/\s/.test(args)) return args;
  const value = tryParseReadable(args);
  return value === undefined ? args : JSON.stringify(value);
}

/**
 * Hashes of every prefix of a transcript: `chain[n]` names its first n messages, counted from the first message after
 * the leading system messages (the system prompt isn't part of the conversation's identity).
 */
export function chainOf(messages: readonly Message[], start: number): string[] {
  const chain = createChain();
  for (let i = start; i < messages.length; i++) chain.add(messages[i]!);
  return chain.hashes;
}

/** A chain that grows with its transcript. */
export interface Chain {
  /** `hashes[n]` names the first n messages. */
  readonly hashes: string[];
  add(message: Message): void;
  /** A chain of its own with the same messages so far. */
  copy(): Chain;
}

export function createChain(): Chain {
  return new GrowingChain(FIRST_LINK, [FIRST_LINK.hash]);
}

/** A class, because every request has one. */
class GrowingChain implements Chain {
  readonly hashes: string[];
  #link: Link;

  constructor(link: Link, hashes: string[]) {
    this.hashes = hashes;
    this.#link = link;
  }

  add(message: Message): void {
    this.#link = nextLink(this.#link, message);
    this.hashes.push(this.#link.hash);
  }

  copy(): Chain {
    return new GrowingChain(this.#link, [...this.hashes]);
  }
}

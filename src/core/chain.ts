import { parseExact } from "./exact-json.ts";
import { createHash, type Hash } from "./hash.ts";
import type { Message } from "./types.ts";

/** Where every chain begins; the number is the version of the canonical form. */
const SEED = createHash().absorb("precis/chain/1");
const SEED_HASH = SEED.digest();

/**
 * Hashes of every prefix of a transcript: `chain[n]` names its first n messages, counted from the first message after
 * the leading system messages (the system prompt isn't part of the conversation's identity).
 *
 * The canonical form leaves out what real clients change between two calls of one conversation: `cache_control` markers
 * and message ids (a dialect doesn't read them), tool-call ids (replaced by their order of appearance), reasoning
 * (clients drop it from older messages), the spaces between the tokens of a call's arguments, those around an
 * assistant's text, and all of a spoken answer but its id. Content as a string and as one text part is the same, and so are no content and an empty one.
 */
export function chainOf(
  messages: readonly Message[],
  start: number,
  textHash: (text: string) => string,
): string[] {
  const chain = createChain(textHash);
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

export function createChain(textHash: (text: string) => string): Chain {
  return new GrowingChain(textHash, SEED.copy(), [SEED_HASH], new Map());
}

/** A class, because every request has one. */
class GrowingChain implements Chain {
  readonly hashes: string[];
  readonly #textHash: (text: string) => string;
  readonly #hash: Hash;
  readonly #ordinals: Map<string, number>;

  constructor(
    textHash: (text: string) => string,
    hash: Hash,
    hashes: string[],
    ordinals: Map<string, number>,
  ) {
    this.hashes = hashes;
    this.#textHash = textHash;
    this.#hash = hash;
    this.#ordinals = ordinals;
  }

  add(message: Message): void {
    absorbMessage(this.#hash, message, this.#ordinals, this.#textHash);
    this.hashes.push(this.#hash.digest());
  }

  copy(): Chain {
    return new GrowingChain(this.#textHash, this.#hash.copy(), [...this.hashes], new Map(this.#ordinals));
  }
}

function absorbMessage(
  hash: Hash,
  message: Message,
  ordinals: Map<string, number>,
  textHash: (text: string) => string,
): void {
  hash.absorb(message.role);
  for (const part of message.parts) {
    switch (part.type) {
      case "text": {
        const text = message.role === "assistant" ? part.text.trim() : part.text;
        if (text !== "" || message.role !== "assistant") hash.absorb("text").absorb(textHash(text));
        break;
      }
      case "image":
      case "file":
        hash.absorb(part.type).absorb(textHash(part.source));
        break;
      case "frame":
        hash.absorb(`frame ${part.count}`).absorb(textHash(part.source));
        break;
      case "reasoning":
        break;
      case "tool-call":
        hash
          .absorb(`call ${ordinal(ordinals, part.id)} ${part.name}`)
          .absorb(textHash(canonicalArgs(part.asDoubles ?? part.args)));
        break;
      case "tool-result":
        hash
          .absorb(`result ${ordinal(ordinals, part.id)} ${part.error === true}`)
          .absorb(textHash(part.text));
        for (const media of part.media ?? []) hash.absorb(textHash(media.source));
        break;
      case "other":
        hash.absorb(`other ${part.kind}`).absorb(textHash(part.comesBackAs ?? part.json));
        break;
      default:
        part satisfies never;
    }
  }
}

/** Clients that keep arguments as values write them anew, with other spaces. */
function canonicalArgs(args: string): string {
  if (!/\s/.test(args)) return args;
  try {
    return JSON.stringify(parseExact(args));
  } catch {
    return args;
  }
}

/** An id's order of appearance. */
function ordinal(ordinals: Map<string, number>, id: string): number {
  const known = ordinals.get(id);
  if (known !== undefined) return known;
  ordinals.set(id, ordinals.size);
  return ordinals.size - 1;
}

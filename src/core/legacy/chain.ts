import { canonicalArgs } from "../chain.ts";
import type { Message } from "../types.ts";
import { LegacyHash, legacyHash } from "./hash.ts";

/** A chain of version 1 that grows with its transcript: what older versions called its prefixes. */
export interface LegacyChain {
  /** `hashes[n]` names the first n messages after the leading system messages. */
  readonly hashes: readonly string[];
  add(message: Message): void;
}

export function createLegacyChain(): LegacyChain {
  const hash = new LegacyHash().absorb("precis/chain/1");
  const ordinals = new Map<string, number>();
  const hashes = [hash.digest()];
  return {
    hashes,
    add(message) {
      absorbMessage(hash, message, ordinals);
      hashes.push(hash.digest());
    },
  };
}

/** The chain of a whole transcript. */
export function legacyChainOf(messages: readonly Message[], start: number): readonly string[] {
  const chain = createLegacyChain();
  for (const message of messages.slice(start)) chain.add(message);
  return chain.hashes;
}

function absorbMessage(hash: LegacyHash, message: Message, ordinals: Map<string, number>): void {
  hash.absorb(message.role);
  for (const part of message.parts) {
    switch (part.type) {
      case "text": {
        const text = message.role === "assistant" ? part.text.trim() : part.text;
        if (text !== "" || message.role !== "assistant") hash.absorb("text").absorb(legacyHash(text));
        break;
      }
      case "image":
      case "file":
        hash.absorb(part.type).absorb(legacyHash(part.source));
        break;
      case "frame":
        hash.absorb(`frame ${part.count}`).absorb(legacyHash(part.source));
        break;
      case "reasoning":
        break;
      case "tool-call":
        hash
          .absorb(`call ${ordinal(ordinals, part.id)} ${part.name}`)
          .absorb(legacyHash(canonicalArgs(part.asDoubles ?? part.args)));
        break;
      case "tool-result":
        hash
          .absorb(`result ${ordinal(ordinals, part.id)} ${part.error === true}`)
          .absorb(legacyHash(part.text));
        for (const media of part.media ?? []) hash.absorb(legacyHash(media.source));
        break;
      case "other":
        hash.absorb(`other ${part.kind}`).absorb(legacyHash(part.comesBackAs ?? part.json));
        break;
      default:
        part satisfies never;
    }
  }
}

/** An id's order of appearance. */
function ordinal(ordinals: Map<string, number>, id: string): number {
  const known = ordinals.get(id);
  if (known !== undefined) return known;
  ordinals.set(id, ordinals.size);
  return ordinals.size - 1;
}

import { hash128 } from "./hash.ts";
import type { Message } from "./types.ts";

/** Where every chain begins; the number is the version of the canonical form. */
const CHAIN_SEED = hash128("precis/chain/1");

/**
 * Hashes of every prefix of a transcript: `chain[n]` names its first n messages, counted from the first message after
 * the leading system messages (the system prompt isn't part of the conversation's identity).
 *
 * The canonical form leaves out what real clients change between two calls of one conversation: `cache_control` markers
 * and message ids (a dialect doesn't read them), tool-call ids (replaced by their order of appearance), and reasoning
 * (clients drop it from older messages). Content as a string and as one text part is the same.
 */
export function chainOf(
  messages: readonly Message[],
  start: number,
  textHash: (text: string) => string,
): string[] {
  const ordinals = new Map<string, number>();
  const chain = [CHAIN_SEED];
  let link = CHAIN_SEED;
  for (let i = start; i < messages.length; i++) {
    link = hash128(`${link}${canonical(messages[i]!, ordinals, textHash)}`);
    chain.push(link);
  }
  return chain;
}

function canonical(
  message: Message,
  ordinals: Map<string, number>,
  textHash: (text: string) => string,
): string {
  const ordinal = (id: string) => {
    const known = ordinals.get(id);
    if (known !== undefined) return known;
    ordinals.set(id, ordinals.size);
    return ordinals.size - 1;
  };
  let form: string = message.role;
  for (const part of message.parts) {
    switch (part.type) {
      case "text":
        form += `|t${textHash(part.text)}`;
        break;
      case "image":
        form += `|i${textHash(part.source)}`;
        break;
      case "file":
        form += `|f${textHash(part.source)}`;
        break;
      case "frame":
        form += `|v${part.count}:${textHash(part.source)}`;
        break;
      case "reasoning":
        break;
      case "tool-call":
        form += `|c${ordinal(part.id)}:${part.name}:${textHash(part.args)}`;
        break;
      case "tool-result":
        form += `|r${ordinal(part.id)}:${part.error ? 1 : 0}:${textHash(part.text)}`;
        for (const media of part.media ?? []) form += `:${textHash(media.source)}`;
        break;
      case "other":
        form += `|o${part.kind}:${textHash(part.json)}`;
        break;
      default:
        part satisfies never;
    }
  }
  return form;
}

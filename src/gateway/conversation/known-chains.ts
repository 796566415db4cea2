import type { Chain } from "../../core/chain.ts";

/** A client that goes on adds a few messages at a time; further back nobody looks. */
const LOOK_BACK = 64;

/** Chains of transcripts whose messages come again as the same objects, each with a few more. */
export interface KnownChains {
  /** The chain of the messages that a transcript begins with, to be gone on with. */
  take(transcript: readonly unknown[]): { readonly chain: Chain; readonly length: number } | undefined;
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
        return { chain: known.chain, length: at + 1 };
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

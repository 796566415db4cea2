/**
 * Hostile transcripts for property tests (needs `fast-check`): in core form, and on the wire of each dialect.
 *
 * @example
 * import fc from "fast-check";
 * import { openaiChat } from "precis/dialects";
 * import { hostileWire } from "precis/testing/arbitraries";
 *
 * fc.assert(
 *   fc.property(hostileWire("openai-chat"), ({ messages }) => {
 *     for (const message of messages) openaiChat.read(message as Parameters<typeof openaiChat.read>[0]);
 *   }),
 * );
 */

import fc from "fast-check";
import type { DialectId } from "../../core/types.ts";
import { toWire, type WireTranscript } from "../builders.ts";
import { RAW_MESSAGES } from "./raw-messages.ts";
import { hostileTranscript } from "./transcripts.ts";

export { toWire, type WireTranscript } from "../builders.ts";
export { RAW_MESSAGES } from "./raw-messages.ts";
export { args, HOSTILE_TEXTS, large, lines, text } from "./texts.ts";
export { hostileTalk, hostileTranscript, longRun, round, soundRound } from "./transcripts.ts";

/** The dialects that have a writer and raw messages. */
export const WIRE_DIALECTS: readonly DialectId[] = Object.keys(RAW_MESSAGES);

/** A hostile transcript of one dialect, with rare raw messages spliced in. */
export function hostileWire(dialect: DialectId): fc.Arbitrary<WireTranscript> {
  const raws = RAW_MESSAGES[dialect] ?? [];
  const splice = fc.tuple(fc.nat(), fc.nat());
  return fc
    .tuple(
      hostileTranscript,
      fc.oneof(
        { arbitrary: fc.constant([]), weight: 3 },
        { arbitrary: fc.array(splice, { maxLength: 5 }), weight: 2 },
      ),
    )
    .map(([core, splices]) => {
      const wire = toWire(dialect, core);
      const messages = [...wire.messages];
      for (const [where, which] of splices)
        messages.splice(where % (messages.length + 1), 0, { ...raws[which % raws.length]! });
      return { ...wire, messages };
    });
}

import { frameOf } from "./frames/frames.ts";
import { languageOf } from "./frames/language.ts";
import { abridged } from "./material/abridge.ts";
import { readMaterial, type SummaryMessageInput } from "./material/message-material.ts";
import { messageLines, missedRoom } from "./select/choose-lines.ts";
import { messageQuotes } from "./select/choose-quotes.ts";
import { messageSections } from "./write/render-message.ts";
import { fillCap, type MadeMessage, messageWriter } from "./write/write-message.ts";

export { appendMissing } from "./keep/missing-items.ts";
export { missingItems, usedLater } from "./keep/must-keep.ts";
export { isSummaryMessage } from "./write/sections.ts";

/** Below this nothing useful fits beside the frame (tokens). */
const MIN_CONTENT = 16;

/** The text of the summary message, or undefined when the cap is too small for anything useful. */
export function summaryMessage(input: SummaryMessageInput): MadeMessage | undefined {
  const { cap } = input;
  const messages = abridged(input.messages);
  const hidden = new Uint8Array(messages.length);
  for (const run of input.hidden) hidden.fill(1, Math.max(0, run.from), Math.max(0, run.to));
  const frame = frameOf(languageOf(input.messages));
  const write = messageWriter(hidden, input, frame);
  if (write({}).tokens + MIN_CONTENT > cap) return undefined;
  const material = readMaterial(input, messages, (index) => hidden[index] === 1, frame);
  const { narrative, state, states, lineCost, sources } = material;
  const free = cap - write({ narrative, state, states }).tokens - missedRoom(input);
  const chosen = messageQuotes(material, free);
  const lines = messageLines(material, chosen);
  const sections = messageSections(material, chosen.quotes, lines);
  const { quotes, costs } = chosen;
  const filled = (records: Parameters<typeof sections>[2]): MadeMessage | undefined =>
    fillCap(cap, {
      costs: [...costs, ...lines.map(lineCost)],
      fixed: narrative.length > 0 || state.length > 0 || states.length > 0,
      render: (items) =>
        write(sections(Math.min(items, quotes.length), Math.max(0, items - quotes.length), records)),
    });
  // In a very short message the sources of what records cite would leave no room for the records themselves.
  const bare = narrative.map((one) => ({ ...one, text: sources.without(one.text) }));
  return filled(narrative) ?? (narrative.length === 0 ? undefined : filled(bare));
}

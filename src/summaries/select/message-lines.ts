import type { Line } from "../lines.ts";
import type { MessageMaterial } from "../material/message-material.ts";
import { plainStatement } from "../material/read-passage.ts";
import { messageOf, textOf } from "../write/quotes.ts";
import { chooseChanges } from "./choose-changes.ts";
import type { MessageQuotes } from "./message-quotes.ts";
import { saidAlready } from "./said-already.ts";
import { selectLines } from "./select-lines.ts";
import { termWeights } from "./weights.ts";

/** Of what the user's words and statements leave: what was changed; the rest is for other lines. */
const CHANGES_SHARE = 0.5;
/** More lines are chosen than the estimate allows, because the exact count may leave room for them. */
const OVERCHOOSE = 1.25;
/** Worth of a term that the focus names, in units of a path that is surely needed. */
const FOCUS_WORTH = 1;

/** Lines that fill a summary message up beside its quotes, in the order of their rank: what was changed, then the working set. */
export function messageLines(material: MessageMaterial, { quotes, left }: MessageQuotes): readonly Line[] {
  const { input, transcript, candidates: all, lineCost, narrative, sources } = material;
  const { covered, lastLine } = all;
  const quoted = new Map<number, string>();
  for (const quote of quotes) {
    quoted.set(messageOf(quote), `${quoted.get(messageOf(quote)) ?? ""}${textOf(quote)}\n`);
    for (const term of transcript.table.scan(textOf(quote))) covered[term] = 1;
  }
  const weights = weightsOf(material);
  const candidates = all.lines.filter((line) => !quoted.get(line.message)?.includes(plainLine(line)));
  const changes = chooseChanges({
    transcript,
    candidates,
    weights,
    covered,
    cost: lineCost,
    budget: left * CHANGES_SHARE,
  });
  const isSaid = saidAlready([...narrative.map(({ text }) => text), ...quotes.map(textOf)]);
  const changed = new Set(changes.map(({ first }) => first));
  const more = selectLines({
    candidates,
    weights,
    cites: (line) => line.kind === "assistant" && sources.cites(line.text, line.message),
    covered,
    lastLine,
    cost: lineCost,
    isSaid: (line) => changed.has(line.first) || isSaid(line.text),
    budget: input.cap * OVERCHOOSE,
  });
  return [...changes, ...more];
}

/** The worth of each term, with what the focus and the newest words add to it. */
function weightsOf({ input, transcript, candidates, named }: MessageMaterial): Float64Array {
  const weights = termWeights(transcript);
  for (const term of transcript.table.scan(input.focus ?? ""))
    if (term < weights.length) weights[term]! += FOCUS_WORTH;
  // A message that asks about a name doesn't show what stands behind it, nor does a statement that mentions it.
  for (const [term, worth] of named) {
    if (term >= weights.length) continue;
    weights[term]! += worth;
    candidates.covered[term] = 0;
  }
  return weights;
}

/** A line as a quotation of its message would show it. */
function plainLine({ kind, text }: Line): string {
  return kind === "assistant" ? plainStatement(text) : text;
}

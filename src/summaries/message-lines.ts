import type { Steps } from "../core/steps.ts";
import type { Line } from "./lines.ts";
import type { MessageMaterial } from "./message-material.ts";
import type { MessageQuotes } from "./message-quotes.ts";
import { plainStatement } from "./read-passage.ts";
import { lineReuse } from "./reuse.ts";
import { saidAlready } from "./said-already.ts";
import { termWeights } from "./weights.ts";
import { selectLines } from "./working-set.ts";

/** More lines are chosen than the estimate allows, because the exact count may leave room for them. */
const OVERCHOOSE = 1.25;
/** Worth of a term that the focus names, in units of a path that is surely needed. */
const FOCUS_WORTH = 1;

/** Lines that fill a summary message up beside its quotes, in the order of their rank. */
export function* messageLines(material: MessageMaterial, { quotes }: MessageQuotes): Steps<readonly Line[]> {
  const { input, transcript, candidates: all, lineCost, narrative, sources } = material;
  const { covered, lastLine } = all;
  const quoted = new Map<number, string>();
  for (const { words } of quotes) {
    quoted.set(words.message, `${quoted.get(words.message) ?? ""}${words.text}\n`);
    for (const term of transcript.table.scan(words.text)) covered[term] = 1;
  }
  yield;
  const weights = yield* weightsOf(material);
  const reuse = lineReuse(transcript);
  yield;
  const candidates = all.lines.filter((line) => !quoted.get(line.message)?.includes(plainLine(line)));
  const isSaid = saidAlready([
    ...narrative.map(({ text }) => text),
    ...quotes.map(({ words }) => words.text),
  ]);
  return yield* selectLines({
    candidates,
    weights,
    reuse,
    cites: (line) => line.kind === "assistant" && sources.cites(line.text, line.message),
    covered,
    lastLine,
    cost: lineCost,
    isSaid: (line) => isSaid(line.text),
    budget: input.cap * OVERCHOOSE,
  });
}

/** The worth of each term, with what the focus adds to it. */
function* weightsOf({ input, transcript }: MessageMaterial): Steps<Float64Array> {
  const weights = yield* termWeights(transcript);
  yield;
  for (const term of transcript.table.scan(input.focus ?? ""))
    if (term < weights.length) weights[term]! += FOCUS_WORTH;
  return weights;
}

/** A line as a quotation of its message would show it. */
function plainLine({ kind, text }: Line): string {
  return kind === "assistant" ? plainStatement(text) : text;
}

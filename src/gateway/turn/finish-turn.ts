import type { WireAnswer } from "../wires/wire.ts";
import { guardLoops } from "./loop-guard.ts";
import type { Outgoing, Turn, TurnParts } from "./turn.ts";

/** Learns from an answer and stores it. Whoever waits gets the end of the answer when this is done. */
export async function finishTurn(
  parts: Pick<TurnParts, "metrics" | "totals" | "log" | "timeline" | "now">,
  turn: Turn,
  outgoing: Outgoing,
  answer: WireAnswer,
  record: (answer: WireAnswer) => Promise<void>,
): Promise<void> {
  learn(parts, turn, outgoing, answer);
  await record(answer);
  guardLoops(parts, turn, answer.messages);
}

/** The counts of a model and the length of its answers, from what the provider reports. */
function learn(
  { metrics }: Pick<TurnParts, "metrics">,
  { compactors, choice }: Turn,
  { report, action }: Outgoing,
  { usage, isCutOff }: WireAnswer,
): void {
  if (usage?.cacheRead) metrics.cachedTokens.inc(usage.cacheRead);
  if (!usage || !report) return;
  // What was only observed went there whole.
  const sent = action === "observed" ? report.tokens.transcript : report.tokens.after;
  void compactors.of(choice).observe({
    usage,
    report,
    tokens: sent + report.budget.tools,
    ...(isCutOff && { stop: "length" }),
  });
}

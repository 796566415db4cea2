import { contentHash } from "../../core/hash.ts";
import type { WireAnswer } from "../wires/wire.ts";
import type { Outgoing, Turn } from "./turn.ts";

/** Learns from an answer and stores it. Whoever waits gets the end of the answer when this is done. */
export async function finishTurn(
  turn: Turn,
  outgoing: Outgoing,
  answer: WireAnswer,
  /** Undefined where nothing is stored. */
  record: ((answer: WireAnswer) => Promise<void>) | undefined,
): Promise<void> {
  learn(turn, outgoing, answer);
  guardLoops(turn, answer.messages);
  if (record) await record(answer);
}

/** The counts of a model and the length of its answers, from what the provider reports. */
function learn(
  { compactors, choice }: Turn,
  { report, action }: Outgoing,
  { usage, stop }: WireAnswer,
): void {
  if (!usage || !report) return;
  // What was only observed went there whole.
  const sent = action === "observed" ? report.tokens.transcript : report.tokens.after;
  void compactors.of(choice).observe({
    usage,
    report,
    tokens: sent + report.budget.tools,
    ...(stop && { stop }),
  });
}

/** The same tool round this often since a compaction is a circle. */
const CIRCLE = 3;
/** Rounds that are remembered for one conversation. */
const MAX_ROUNDS = 500;

/** Notices a conversation that comes to the same tool round again and again after a compaction, and says so. */
function guardLoops({ recording, wire, told }: Turn, answer: readonly unknown[]): void {
  const known = recording?.known;
  if (!known?.rounds) return;
  for (const message of answer) {
    const calls = wire.dialect.read(message).parts.filter((part) => part.type === "tool-call");
    if (calls.length === 0) continue;
    const round = contentHash(calls.map(({ name, args }) => `${name} ${args}`).join("\n"));
    const count = (known.rounds.get(round) ?? 0) + 1;
    if (known.rounds.size < MAX_ROUNDS) known.rounds.set(round, count);
    if (count !== CIRCLE) continue;
    told.happened({ type: "loop", tool: calls[0]!.name, rounds: count });
  }
}

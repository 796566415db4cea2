import { contentHash } from "../../core/hash.ts";
import type { Gateway } from "../gateway.ts";
import type { Exchange } from "../v1/exchange.ts";

/** The same tool round this often since a compaction is a circle. */
const CIRCLE = 3;
/** Rounds that are remembered for one conversation. */
const MAX_ROUNDS = 500;

/** Notices a client that asks for the same tool round again and again after a compaction, and says so. */
export function guardLoops(gateway: Gateway, exchange: Exchange, answer: readonly unknown[]): void {
  const known = exchange.recording?.known;
  if (!known?.rounds) return;
  for (const wire of answer) {
    const calls = exchange.wire.dialect.read(wire).parts.filter((part) => part.type === "tool-call");
    if (calls.length === 0) continue;
    const round = contentHash(calls.map(({ name, args }) => `${name} ${args}`).join("\n"));
    const count = (known.rounds.get(round) ?? 0) + 1;
    if (known.rounds.size < MAX_ROUNDS) known.rounds.set(round, count);
    if (count !== CIRCLE) continue;
    const tool = calls[0]!.name;
    gateway.metrics.loops.inc();
    gateway.totals.add("loops");
    gateway.log.warn(
      { conversation: known.id, tool, rounds: count },
      "the same tool round came back again and again after a compaction",
    );
    if (known.id !== undefined)
      void gateway.timeline.add(exchange.client.tenant, known.id, gateway.now(), {
        type: "loop",
        tool,
        rounds: count,
      });
  }
}

import { isStream } from "../turn/peek.ts";
import type { Outgoing } from "../turn/turn.ts";
import type { Exchange } from "./exchange.ts";
import { prepareNative } from "./native-compaction.ts";
import { offerTools } from "./offer-tools.ts";
import { passFailure, passJson, passStream } from "./pass-answer.ts";
import { actionOf } from "./report-headers.ts";
import { joinRounds, sendRound, spliceRounds } from "./run-rounds.ts";
import type { V1Parts } from "./v1-parts.ts";

/** Sends a request on and its answer back. */
export async function generate(
  parts: V1Parts,
  given: Exchange,
): Promise<Pick<Outgoing, "action" | "report">> {
  const prepared = prepareNative(parts, given);
  const asked = prepared instanceof Promise ? await prepared : prepared;
  if (!asked) return { action: "compacted", report: undefined };
  const offered = offerTools(parts, asked);
  const exchange = offered instanceof Promise ? await offered : offered;
  const first = await sendRound(parts, exchange);
  const isStreamed = first.failed === undefined && isStream(first.answer, exchange);
  const done =
    exchange.hosted && !isStreamed ? await joinRounds(parts, exchange, exchange.hosted, first) : first;
  const { outgoing, answer, failed } = done;
  if (failed) await passFailure(parts, exchange, outgoing, answer, failed.bytes);
  else if (!isStreamed)
    await passJson(parts, exchange, outgoing, answer, done.read ?? Buffer.alloc(0), done.data);
  else if (exchange.hosted)
    await passStream(
      parts,
      exchange,
      outgoing,
      spliceRounds(parts, exchange, exchange.hosted, first),
      undefined,
    );
  else await passStream(parts, exchange, outgoing, answer, done.read);
  return { report: outgoing.report, action: actionOf(exchange, outgoing.action) };
}

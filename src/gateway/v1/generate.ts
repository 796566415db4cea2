import { isStream } from "../turn/peek.ts";
import { runTurn } from "../turn/run-turn.ts";
import type { Outgoing } from "../turn/turn.ts";
import { decideAtOnce, decideView } from "./decide-view.ts";
import type { Exchange } from "./exchange.ts";
import { prepareNative } from "./native-compaction.ts";
import { passFailure, passJson, passStream } from "./pass-answer.ts";
import { actionOf } from "./report-headers.ts";
import type { V1Parts } from "./v1-parts.ts";

/** Sends a request on and its answer back. */
export async function generate(
  parts: V1Parts,
  given: Exchange,
): Promise<Pick<Outgoing, "action" | "report">> {
  const prepared = prepareNative(parts, given);
  const exchange = prepared instanceof Promise ? await prepared : prepared;
  if (!exchange) return { action: "compacted", report: undefined };
  const view = decideAtOnce(exchange) ?? (await decideView(parts, exchange));
  const isFixed = exchange.options.off || exchange.isObserved;
  const done = await runTurn(
    parts,
    exchange,
    view,
    isFixed ? undefined : (rejected) => decideView(parts, exchange, rejected),
  );
  const { outgoing, answer, failed } = done;
  if (failed) await passFailure(parts, exchange, outgoing, answer, failed.bytes);
  else if (isStream(answer)) await passStream(parts, exchange, outgoing, answer, done.read);
  else await passJson(parts, exchange, outgoing, answer, done.read ?? Buffer.alloc(0), done.data);
  return { report: outgoing.report, action: actionOf(exchange, outgoing.action) };
}

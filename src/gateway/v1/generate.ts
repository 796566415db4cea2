import { isStream } from "../turn/peek.ts";
import { runRounds } from "../turn/run-rounds.ts";
import { type Attempt, runTurn } from "../turn/run-turn.ts";
import type { TurnParts } from "../turn/turn.ts";
import { decideAtOnce, decideView } from "./decide-view.ts";
import type { Exchange } from "./exchange.ts";
import { prepareNative } from "./native-compaction.ts";
import { withOwnTools } from "./own-tools.ts";
import { passFailure, passJson, passStream, passUnread } from "./pass-answer.ts";
import type { V1Parts } from "./v1-parts.ts";

/** Sends a request on and its answer back. */
export async function generate(parts: V1Parts, given: Exchange): Promise<void> {
  const prepared = prepareNative(parts, given);
  const asked = prepared instanceof Promise ? await prepared : prepared;
  if (!asked) return;
  const offered = withOwnTools(parts, asked);
  const exchange = offered instanceof Promise ? await offered : offered;
  const { hosted } = exchange;
  const send = (round: Exchange) => sendRound(parts, round);
  const first = await send(exchange);
  const done = hosted ? await runRounds(parts, { turn: exchange, hosted, send }, first) : first;
  const { outgoing, answer, failed, read, isUnread } = done;
  if (isUnread && read) await passUnread(parts, exchange, outgoing, answer, read);
  else if (failed) await passFailure(parts, exchange, outgoing, answer, failed.bytes);
  else if (isStream(answer, exchange)) await passStream(parts, exchange, outgoing, answer, read);
  else await passJson(parts, exchange, outgoing, answer, read ?? Buffer.alloc(0), done.data);
}

async function sendRound(parts: TurnParts, exchange: Exchange): Promise<Attempt> {
  const view = decideAtOnce(exchange) ?? (await decideView(parts, exchange));
  const isFixed = exchange.options.off || exchange.isObserved;
  const done = await runTurn(
    parts,
    exchange,
    view,
    isFixed ? undefined : (rejected) => decideView(parts, exchange, rejected),
  );
  if (exchange.hosted) exchange.hosted.outgoing = done.outgoing;
  return done;
}

import { passFailure, passJson, passStream, passUnread } from "./answer.ts";
import { decideAtOnce, decideView } from "./fit.ts";
import { runRounds } from "./gateway-rounds.ts";
import { withOwnTools } from "./gateway-tools.ts";
import { prepareNative } from "./native.ts";
import { type Attempt, isStream, runTurn } from "./send.ts";
import type { Exchange, TurnParts } from "./turn.ts";

/** Sends a request on and its answer back. */
export async function generate(parts: TurnParts, given: Exchange): Promise<void> {
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

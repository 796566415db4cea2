import type { Rejected } from "../../core/fitting-cap.ts";
import { passFailure, passJson, passStream, passUnread } from "./answer.ts";
import { decideAtOnce, decideView } from "./fit.ts";
import { runRounds } from "./gateway-rounds.ts";
import { withOwnTools } from "./gateway-tools.ts";
import { prepareNative } from "./native.ts";
import { type Attempt, isStream, runTurn } from "./send.ts";
import type { Exchange, HostedTurn, TurnParts } from "./turn.ts";

/** Sends a request on and its answer back. */
export async function generate(parts: TurnParts, given: Exchange): Promise<void> {
  const prepared = prepareNative(parts, given);
  const asked = prepared instanceof Promise ? await prepared : prepared;
  if (!asked) return;
  const offered = withOwnTools(parts, asked);
  const exchange = offered instanceof Promise ? await offered : offered;
  const { hosted } = exchange;
  const done = hosted ? await sendRounds(parts, exchange, hosted) : await sendRound(parts, exchange);
  const { outgoing, answer, failed, read, isUnread } = done;
  if (isUnread && read) await passUnread(parts, exchange, outgoing, answer, read);
  else if (failed) await passFailure(parts, exchange, outgoing, answer, failed.bytes);
  else if (isStream(answer, exchange)) await passStream(parts, exchange, outgoing, answer, read);
  else await passJson(parts, exchange, outgoing, answer, read ?? Buffer.alloc(0), done.data);
}

async function sendRounds(parts: TurnParts, turn: Exchange, hosted: HostedTurn): Promise<Attempt> {
  const send = async (round: Exchange) => {
    const done = await sendRound(parts, round);
    hosted.outgoing = done.outgoing;
    return done;
  };
  return runRounds(parts, { turn, hosted, send }, await send(turn));
}

function sendRound(parts: TurnParts, exchange: Exchange): Promise<Attempt> {
  const isFixed = exchange.options.off || exchange.isObserved;
  const shrink = isFixed ? undefined : (rejected: Rejected) => decideView(parts, exchange, rejected);
  const view = decideAtOnce(exchange);
  return view
    ? runTurn(parts, exchange, view, shrink)
    : decideView(parts, exchange).then((made) => runTurn(parts, exchange, made, shrink));
}

import type { ToolCallPart } from "../../core/types.ts";
import type { HostedResult } from "../wires/hosting.ts";
import type { WireAnswer } from "../wires/wire.ts";
import type { Exchange } from "./exchange.ts";
import { answerCall } from "./hosted-tools.ts";
import { type HostedTurn, hostedName } from "./hosted-turn.ts";
import { withBody } from "./offer-tools.ts";
import type { V1Parts } from "./v1-parts.ts";

/** So often the model may call precis's own tools within one request. */
const MOST_ROUNDS = 8;
const LAST_CALL = "That was the last call that is answered in this turn. Go on with what you have.";
const LIMIT_REACHED = "Calls aren't answered any more in this turn.";
const CUT_OFF = "The answer was cut off within this call.";

/**
 * Answers the calls of precis's own tools in an answer. Resolves with the request that goes on from there; undefined where the
 * client is next: nothing was called, something else was called too, or the limit is reached.
 */
export async function nextRound(
  parts: V1Parts,
  exchange: Exchange,
  hosted: HostedTurn,
  answer: WireAnswer,
): Promise<Exchange | undefined> {
  const { wire, body } = exchange;
  const hosting = wire.hosting!;
  hosted.addRound(answer.usage);
  hosted.real.push(...hosting.echo(answer.messages, body));
  const calls = callsIn(exchange, answer);
  const ours = calls.filter(({ name }) => hosted.isHosted(name));
  if (ours.length === 0) return undefined;
  hosted.hasHidden = true;
  const { rounds } = hosted.used;
  const results: HostedResult[] = [];
  for (const call of ours) {
    const { id, name } = call;
    const tool = hosted.tools.find((one) => hostedName(one) === name)!;
    const refusal = answer.isCutOff ? CUT_OFF : rounds > MOST_ROUNDS ? LIMIT_REACHED : undefined;
    const text = refusal ?? (await answerCall(parts, exchange, { tool, hosted, call }));
    results.push({ id, name, text: rounds === MOST_ROUNDS ? `${text}\n\n${LAST_CALL}` : text });
  }
  hosted.real.push(...hosting.results(results));
  if (ours.length < calls.length || answer.isCutOff || rounds > MOST_ROUNDS) return undefined;
  parts.metrics.hiddenRounds.inc();
  if (answer.usage) {
    parts.metrics.hiddenTokens.inc({ kind: "input" }, answer.usage.input);
    parts.metrics.hiddenTokens.inc({ kind: "output" }, answer.usage.output ?? 0);
  }
  return roundAfter(exchange, hosted);
}

/** What the model called that nobody has answered yet. */
function callsIn({ wire }: Exchange, { messages }: WireAnswer): readonly ToolCallPart[] {
  return messages
    .flatMap((message) => wire.dialect.read(message).parts)
    .filter((part): part is ToolCallPart => part.type === "tool-call" && !part.locked);
}

function roundAfter(exchange: Exchange, hosted: HostedTurn): Exchange {
  const { wire, body, asked } = exchange;
  const hosting = wire.hosting!;
  // A model that must call something has called ours; now it is the turn of the client's tools.
  const base = hosting.forcesAny(body) ? hosting.withdraw(body, hosted.isHosted) : body;
  // The same key for another request would bring the first one's answer again.
  const { "idempotency-key": _, ...headers } = exchange.headers;
  const next = { ...base, [hosting.field]: [...asked.transcript, ...hosted.real] };
  return { ...withBody(exchange, next), headers };
}

import type { HostedResult } from "../../apis/shared/hosting.ts";
import type { ToolCallPart } from "../../core/types.ts";
import { hostedName } from "../wires/hosted-tools.ts";
import type { WireAnswer } from "../wires/wire.ts";
import { answerCall } from "./answer-call.ts";
import type { HostedTurn } from "./hosted-turn.ts";
import { withTranscript } from "./offer-tools.ts";
import type { Turn, TurnParts } from "./turn.ts";

/** So often the model may call precis's own tools within one turn. */
const MOST_ROUNDS = 8;
const LAST_CALL = "That was the last call that is answered in this turn. Go on with what you have.";
const LIMIT_REACHED = "Calls aren't answered any more in this turn.";
const CUT_OFF = "The answer was cut off within this call.";

/**
 * Answers the calls of precis's own tools in an answer. Resolves with the turn that goes on from there; undefined where whoever
 * asked is next: nothing was called, something else was called too, or the limit is reached.
 */
export async function nextRound<T extends Turn>(
  parts: TurnParts,
  turn: T,
  hosted: HostedTurn,
  /** In the words of the conversation's API. */
  answer: WireAnswer,
): Promise<T | undefined> {
  const { wire, body } = turn;
  const hosting = wire.hosting!;
  hosted.addRound(answer.usage);
  hosted.real.push(...hosting.echo(answer.messages, body));
  const calls = callsIn(turn, answer);
  const ours = calls.filter(({ name }) => hosted.isHosted(name));
  if (ours.length === 0) return undefined;
  hosted.hasHidden = true;
  const { rounds } = hosted.used;
  const results: HostedResult[] = [];
  for (const call of ours) {
    const { id, name } = call;
    const tool = hosted.tools.find((one) => hostedName(one) === name)!;
    const refusal = answer.stop === "length" ? CUT_OFF : rounds > MOST_ROUNDS ? LIMIT_REACHED : undefined;
    const text = refusal ?? (await answerCall(parts, turn, { tool, hosted, call }));
    hosted.onAnswered(call, text);
    results.push({ id, name, text: rounds === MOST_ROUNDS ? `${text}\n\n${LAST_CALL}` : text });
  }
  hosted.real.push(...hosting.results(results));
  if (ours.length < calls.length || answer.stop === "length" || rounds > MOST_ROUNDS) return undefined;
  turn.told.happened({ type: "hidden-round", usage: answer.usage });
  return roundAfter(turn, hosted);
}

/** What the model called that nobody has answered yet. */
function callsIn({ wire }: Turn, { messages }: WireAnswer): readonly ToolCallPart[] {
  return messages
    .flatMap((message) => wire.dialect.read(message).parts)
    .filter((part): part is ToolCallPart => part.type === "tool-call" && !part.locked);
}

function roundAfter<T extends Turn>(turn: T, hosted: HostedTurn): T {
  const { wire, body, asked } = turn;
  const hosting = wire.hosting!;
  // A model that must call something has called ours; now it is the turn of the client's tools.
  const base = hosting.forcesAny(body) ? hosting.withdraw(body, hosted.isHosted) : body;
  // The same key for another request would bring the first one's answer again.
  const { "idempotency-key": _, ...headers } = turn.headers;
  return { ...withTranscript(turn, base, [...asked.transcript, ...hosted.real]), headers };
}

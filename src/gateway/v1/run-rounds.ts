import { stringifyDeep } from "../../core/deep-json.ts";
import { isJson, type Json } from "../http/json.ts";
import { isStream } from "../turn/peek.ts";
import { type Attempt, runTurn } from "../turn/run-turn.ts";
import type { TurnParts } from "../turn/turn.ts";
import { Answer } from "../upstream/answer.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";
import { eventJson, splitEvents } from "../wires/shared/events.ts";
import { decideAtOnce, decideView } from "./decide-view.ts";
import type { Exchange } from "./exchange.ts";
import type { HostedTurn } from "./hosted-turn.ts";
import { nextRound } from "./next-round.ts";
import { streamedAnswer } from "./pass-answer.ts";
import type { V1Parts } from "./v1-parts.ts";

/** Sends one round of a request: mostly there is only one. */
export async function sendRound(parts: TurnParts, exchange: Exchange): Promise<Attempt> {
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

/** Answers calls of precis's own tools until there are none, and puts the answers of all rounds together. */
export async function joinRounds(
  parts: V1Parts,
  exchange: Exchange,
  hosted: HostedTurn,
  first: Attempt,
): Promise<Attempt> {
  const { wire } = exchange;
  const answers: Json[] = [];
  let round = first;
  for (;;) {
    // What went wrong in a later round is told as if it were the first: the client asks again.
    if (round.failed || !isJson(round.data)) return round;
    answers.push(round.data);
    const next = await nextRound(parts, exchange, hosted, wire.readJson(round.data));
    if (!next) break;
    round = await sendRound(parts, next);
  }
  const data = wire.hosting!.join(answers, hosted.isHosted);
  const { "content-encoding": _, ...headers } = round.answer.headers;
  const answer = new Answer(round.answer.statusCode, headers, NO_SOURCE, 0);
  return { ...round, answer, data, read: Buffer.from(stringifyDeep(data)) };
}

/** The source of an answer that was read already. */
const NO_SOURCE = { pause() {}, resume() {}, abort() {} };

/** How long an answer waits for a client that takes nothing (milliseconds); its upstream waits as long as it is told to. */
const PATIENCE_MS = 600_000;
/** What ends a stream of Chat Completions; some servers leave out the space. */
const DONE = /^data: ?\[DONE\]/m;

/**
 * The streamed answers of all rounds as one stream. Words come to the client as they are written; what it isn't to see stays
 * back, and between two rounds it waits.
 */
export function spliceRounds(parts: V1Parts, exchange: Exchange, hosted: HostedTurn, first: Attempt): Answer {
  const { wire, upstream, signal } = exchange;
  const hosting = wire.hosting!;
  const splice = hosting.splice(hosted.isHosted);
  let source: Answer = first.answer;
  const { "content-length": _, ...headers } = first.answer.headers;
  const spliced = new Answer(
    first.answer.statusCode,
    headers,
    {
      pause: () => source.pause(),
      resume: () => source.resume(),
      abort: () => source.drop(),
    },
    upstream.config.timeoutMs ?? PATIENCE_MS,
  );
  const pass = (texts: readonly string[]): void => {
    if (texts.length > 0) spliced.push(Buffer.from(texts.join("")));
  };

  /** Passes one round on, and resolves with all of its text. */
  const passRound = ({ answer, read }: Attempt): Promise<string> =>
    new Promise((resolve, reject) => {
      const split = splitEvents();
      const events: string[] = [];
      const take = (piece: Buffer, isLast: boolean): void => {
        const fresh = split(piece, isLast);
        events.push(...fresh);
        pass(
          fresh.flatMap((event) => {
            const data = eventJson(event);
            if (data) return splice.event(data).map(hosting.eventText);
            return DONE.test(event) || event.trim() === "" ? [] : [`${event}\n\n`];
          }),
        );
      };
      if (read) take(read, false);
      answer.read({
        piece: (bytes) => take(bytes, false),
        end() {
          take(Buffer.alloc(0), true);
          resolve(events.join("\n\n"));
        },
        broken: reject,
      });
    });

  const passAll = async (): Promise<void> => {
    let round = first;
    for (;;) {
      source = round.answer;
      const text = await passRound(round);
      const next = await nextRound(parts, exchange, hosted, streamedAnswer(wire, text));
      if (!next) {
        const isWhole = DONE.test(text);
        pass([...splice.end().map(hosting.eventText), ...(isWhole ? [hosting.streamEnd] : [])]);
        return;
      }
      signal.throwIfAborted();
      splice.nextRound();
      round = await sendRound(parts, next);
      if (round.failed || !isStream(round.answer, exchange)) throw refused(upstream.name, round);
    }
  };
  passAll().then(
    () => spliced.finish(),
    (cause: unknown) => spliced.fail(cause),
  );
  return spliced;
}

/** The head of the client's answer has left: an upstream that refuses a later round breaks the answer off. */
function refused(upstream: string, { status }: Attempt): UpstreamFault {
  const cause = Object.assign(new Error("a later round was refused"), { code: `it answered ${status}` });
  return new UpstreamFault("broken", upstream, cause);
}

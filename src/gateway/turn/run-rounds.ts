import { stringifyDeep } from "../../core/deep-json.ts";
import { isJson, type Json } from "../http/json.ts";
import { Answer } from "../upstream/answer.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";
import { eventJson, splitEvents } from "../wires/shared/events.ts";
import type { HostedTurn } from "./hosted-turn.ts";
import { nextRound } from "./next-round.ts";
import { inOwnWords } from "./own-words.ts";
import { isStream } from "./peek.ts";
import type { Attempt } from "./run-turn.ts";
import { streamedAnswer } from "./streamed-answer.ts";
import { spokenWire, type Turn, type TurnParts } from "./turn.ts";

/** A turn whose model may call tools of precis's own. */
export interface Rounds<T extends Turn> {
  readonly turn: T;
  readonly hosted: HostedTurn;
  /** Fits and sends one round. */
  send(turn: T): Promise<Attempt>;
}

/**
 * Answers the calls of precis's own tools, beginning with those in the first answer, and resolves with the answers of all rounds as one.
 * The rounds of a stream are carried out while it is read.
 */
export async function runRounds<T extends Turn>(
  parts: TurnParts,
  rounds: Rounds<T>,
  first: Attempt,
): Promise<Attempt> {
  const isStreamed = !first.failed && isStream(first.answer, rounds.turn);
  return isStreamed
    ? { ...first, answer: spliceRounds(parts, rounds, first), read: undefined }
    : joinRounds(parts, rounds, first);
}

async function joinRounds<T extends Turn>(
  parts: TurnParts,
  { turn, hosted, send }: Rounds<T>,
  first: Attempt,
): Promise<Attempt> {
  const spoken = spokenWire(turn);
  const answers: Json[] = [];
  let round = first;
  for (;;) {
    // What went wrong in a later round is told as if it were the first: whoever asked asks again.
    if (round.failed || !isJson(round.data)) return round;
    answers.push(round.data);
    const next = await nextRound(parts, turn, hosted, inOwnWords(turn, spoken.readJson(round.data)));
    if (!next) break;
    round = await send(next);
  }
  const data = spoken.hosting!.join(answers, hosted.isHosted);
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
 * The streamed answers of all rounds as one stream. Words come to whoever asked as they are written; what isn't for them stays
 * back, and between two rounds they wait.
 */
function spliceRounds<T extends Turn>(
  parts: TurnParts,
  { turn, hosted, send }: Rounds<T>,
  first: Attempt,
): Answer {
  const { upstream, signal } = turn;
  const spoken = spokenWire(turn);
  const hosting = spoken.hosting!;
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
      const next = await nextRound(parts, turn, hosted, inOwnWords(turn, streamedAnswer(spoken, text)));
      if (!next) {
        const isWhole = DONE.test(text);
        pass([...splice.end().map(hosting.eventText), ...(isWhole ? [hosting.streamEnd] : [])]);
        return;
      }
      signal.throwIfAborted();
      splice.nextRound();
      round = await send(next);
      if (round.failed || !isStream(round.answer, turn)) throw refused(upstream.name, round);
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

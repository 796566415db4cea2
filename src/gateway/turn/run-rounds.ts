import { type CutEvent, eventJson, eventText, splitEvents } from "../../apis/shared/events.ts";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { Answer } from "../upstream/answer.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";
import type { HostedTurn } from "./hosted-turn.ts";
import { nextRound } from "./next-round.ts";
import { inOwnWords } from "./own-words.ts";
import { isStream } from "./peek.ts";
import type { Attempt } from "./run-turn.ts";
import { NO_ANSWER, streamedAnswer } from "./streamed-answer.ts";
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
  if (first.isUnread) return first;
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
    const next = await nextRound(parts, turn, hosted, inOwnWords(turn, spoken.readAnswer(round.data)));
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

/** The streamed answers of all rounds as one: words pass as they are written, and what isn't for the client stays back. */
function spliceRounds<T extends Turn>(
  parts: TurnParts,
  { turn, hosted, send }: Rounds<T>,
  first: Attempt,
): Answer {
  const { upstream, signal } = turn;
  const { answerBytes } = parts.config.limits;
  const spoken = spokenWire(turn);
  const hosting = spoken.hosting!;
  const splice = hosting.splice(hosted.isHosted);
  let source: Answer = first.answer;
  const { "content-length": _, ...headers } = first.answer.headers;
  const spliced = new Answer(
    first.answer.statusCode,
    headers,
    { pause: () => source.pause(), resume: () => source.resume(), abort: () => source.drop() },
    upstream.config.timeoutMs ?? PATIENCE_MS,
  );
  let split = splitEvents(answerBytes);
  const pass = (texts: readonly string[]): void => {
    if (texts.length > 0) spliced.push(Buffer.from(split.withLineEnds(texts.join(""))));
  };

  let isDone = false;
  const shownOf = ({ text, isPart }: CutEvent): readonly string[] => {
    if (isPart) return [text];
    const data = eventJson(text);
    if (data) return splice.event(data).map(eventText);
    isDone ||= DONE.test(text);
    return DONE.test(text) || text.trim() === "" ? [] : [`${text}\n\n`];
  };

  /** Passes one round on, and resolves with all of its text; undefined: it was too long to be kept. */
  const passRound = ({ answer, read }: Attempt): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      split = splitEvents(answerBytes);
      let events: string[] = [];
      let size = 0;
      const keep = (text: string): void => {
        size += text.length;
        if (size <= answerBytes) events.push(text);
        else {
          events = [];
          splice.forget();
        }
      };
      const take = (piece: Buffer, isLast: boolean): void => {
        const fresh = split(piece, isLast);
        for (const { text } of fresh) keep(text);
        pass(fresh.flatMap(shownOf));
      };
      if (read) take(read, false);
      answer.read({
        piece: (bytes) => take(bytes, false),
        end() {
          take(Buffer.alloc(0), true);
          resolve(size <= answerBytes ? events.join("\n\n") : undefined);
        },
        broken: reject,
      });
    });

  const passAll = async (): Promise<void> => {
    let round = first;
    for (;;) {
      source = round.answer;
      const text = await passRound(round);
      const told = text === undefined ? NO_ANSWER : streamedAnswer(spoken, text).answer;
      const next = await nextRound(parts, turn, hosted, inOwnWords(turn, told));
      if (!next) {
        pass([...splice.end().map(eventText), ...(isDone ? [hosting.streamEnd] : [])]);
        return;
      }
      signal.throwIfAborted();
      splice.nextRound();
      isDone = false;
      round = await send(next);
      if (round.isUnread) round.answer.drop();
      if (round.isUnread || round.failed || !isStream(round.answer, turn))
        throw refused(upstream.name, round);
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

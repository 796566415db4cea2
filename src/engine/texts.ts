import { defined } from "../core/collections.ts";
import { ConfigError, TranscriptError } from "../core/errors.ts";
import { LEAST_CAP } from "../core/options.ts";
import type {
  Compactor,
  HandoverInput,
  HandoverResult,
  ModelCall,
  Report,
  SummarizeInput,
} from "../core/types.ts";
import { breathe } from "../recall/pause.ts";
import {
  handoverHead,
  handoverText,
  type PeopleTextInput,
  peopleText,
} from "../summaries/people/people-text.ts";
import { forReaders } from "../summaries/records/pointers.ts";
import { trimRecord } from "../summaries/records/render-narrative.ts";
import { summaryMessage } from "../summaries/summary-message.ts";
import { cutToFit } from "../summaries/text/sentences.ts";
import { asError } from "./background/background.ts";
import { writeHandover } from "./background/write-summaries.ts";
import { emitCompleted } from "./deliver/deliver.ts";
import { prepareState } from "./deliver/last-view.ts";
import { reportOf } from "./deliver/report.ts";
import { failedWarning } from "./plan/may-ask.ts";
import { recordLength } from "./plan/narrative.ts";
import type { Operation } from "./read/survey.ts";
import { USUAL_NARRATIVE } from "./settings/settings.ts";

/** Texts about a conversation that stand by themselves: they change no state and no view. */

/** Of a hand-over, what a model may write; goal, rules and files need the rest. */
const NARRATIVE_SHARE = 0.7;

/** A summary message has room for a line from here on, beside its tag and titles (tokens). */
const LEAST_MESSAGE = 150;

export async function summarize<M>(
  operation: Operation<M>,
  input: SummarizeInput<M>,
): ReturnType<Compactor<M>["summarize"]> {
  const cap = input.cap ?? USUAL_NARRATIVE;
  const isRecord = input.form === "record";
  // A record shows its pointers, and they count.
  const made = await byModel(operation, isRecord ? recordLength({ room: cap, cap }) : cap);
  const { written } = made;
  const text =
    written !== undefined
      ? within(operation, isRecord ? written : forReaders(written), cap)
      : isRecord
        ? await recordText(operation, cap, input.focus)
        : await breathing(input.signal, () =>
            peopleText({
              ...peopleInput(operation, cap),
              ...(input.focus !== undefined && { focus: input.focus }),
            }),
          );
  return {
    text,
    tokens: operation.survey.conversation.measure.text(text),
    report: emitReport(operation, { ...made, text }),
  };
}

export async function handover<M>(
  operation: Operation<M>,
  input: HandoverInput<M>,
): Promise<HandoverResult<M>> {
  const cap = input.cap ?? USUAL_NARRATIVE;
  const goal = input.goal.trim();
  checkSaid(operation);
  const room = roomBehindHead(operation, goal, cap);
  const made = await byModel(operation, room);
  const { written } = made;
  const text = await breathing(input.signal, () =>
    handoverText({
      ...peopleInput(operation, cap),
      goal,
      ...(written !== undefined && { narrative: within(operation, forReaders(written), room) }),
    }),
  );
  return {
    text,
    tokens: operation.survey.conversation.measure.text(text),
    message: operation.engine.dialect.write({ role: "user", text }),
    report: emitReport(operation, { ...made, text }),
  };
}

/** Long work between two turns of others. */
async function breathing<T>(signal: AbortSignal | undefined, work: () => T): Promise<T> {
  await breathe(signal);
  const done = work();
  await breathe(signal);
  return done;
}

/** Tokens that a model may write in a hand-over. Refuses a cap that the goal alone takes. */
function roomBehindHead<M>({ survey }: Operation<M>, goal: string, cap: number): number {
  const { messages, structure, measure } = survey.conversation;
  const { head, title } = handoverHead(goal, messages.slice(structure.start));
  const taken = measure.text(`${head}${title}\n\n`);
  const room = Math.floor(Math.min(cap * NARRATIVE_SHARE, cap - taken));
  if (room >= LEAST_CAP) return room;
  const least = Math.ceil(Math.max(taken + LEAST_CAP, LEAST_CAP / NARRATIVE_SHARE));
  throw new ConfigError({
    option: "cap",
    message: `a hand-over of ${cap} tokens has no room for the earlier session: goal and title take ${taken}.`,
    fix: `Raise \`cap\` to at least ${least}, or shorten the goal.`,
  });
}

/** What a model wrote within the cap: rules that code put back and pointers may have made it longer. */
function within<M>({ survey }: Operation<M>, text: string, cap: number): string {
  const count = survey.conversation.measure.text;
  return cutToFit(trimRecord({ text, cap, count, whole: true }), count, cap);
}

export function checkGoal(input: { readonly goal?: unknown } | undefined): void {
  const goal = input?.goal;
  if (typeof goal === "string" && goal.trim() !== "") return;
  throw new ConfigError({
    option: "goal",
    message: "a hand-over needs a goal.",
    fix: 'Say what the fresh session is for: handover(transcript, { goal: "Release version 2" }).',
  });
}

/** Refuses a hand-over of nothing: the fresh session would be told of an earlier one that wasn't. */
function checkSaid<M>({ survey }: Operation<M>): void {
  if (survey.conversation.messages.some(({ role }) => role !== "system")) return;
  throw new TranscriptError({
    message: "this transcript has no messages, so there is nothing to hand over.",
    fix: "Start the new session with just its goal, or hand over a transcript with messages.",
  });
}

function peopleInput<M>({ engine, survey, input }: Operation<M>, cap: number): PeopleTextInput {
  const { messages, structure, measure } = survey.conversation;
  return {
    messages: messages.slice(structure.start),
    cap,
    count: measure.text,
    isOurs: engine.writtenTexts.has,
    ...(input.hostState !== undefined && { hostState: input.hostState }),
  };
}

/** A summary message, for a model that goes on from it. */
async function recordText<M>(
  { engine, survey, input }: Operation<M>,
  cap: number,
  focus: string | undefined,
): Promise<string> {
  const { messages, structure, measure } = survey.conversation;
  const made = await breathing(input.signal, () =>
    summaryMessage({
      messages,
      hidden: [{ from: structure.start, to: messages.length }],
      visible: () => false,
      cap,
      count: measure.text,
      ...defined({ hostState: input.hostState, focus }),
      isOurs: engine.writtenTexts.has,
    }),
  );
  if (made === undefined && cap < LEAST_MESSAGE && messages.length > structure.start) {
    throw new ConfigError({
      option: "cap",
      message: `a summary message of ${cap} tokens has no room for a line of it.`,
      fix: `Raise \`cap\` to at least ${LEAST_MESSAGE}, or omit \`form\` for a text without tag and titles.`,
    });
  }
  const text = made?.text ?? "";
  engine.writtenTexts.add(text);
  return text;
}

/** What a model wrote of the conversation; nothing without a model, or if it failed. */
interface ByModel {
  readonly written: string | undefined;
  readonly calls: readonly ModelCall[];
  readonly failure?: Error;
}

/** The model's own summary of everything. It is told of as every summary is: what is started has one end. */
async function byModel<M>(operation: Operation<M>, cap: number): Promise<ByModel> {
  const { engine, survey, input } = operation;
  const calls: ModelCall[] = [];
  const length = survey.conversation.chain.length - 1;
  if (!engine.summarizer || length === 0) return { written: undefined, calls };
  const signal = input.signal ?? new AbortController().signal;
  const { emitter } = engine;
  emitter.emit("started", { reason: "forced" });
  try {
    return {
      written: await writeHandover(operation, { from: 0, to: length }, cap, { signal, calls }),
      calls,
    };
  } catch (error) {
    if (signal.aborted) emitter.emit("cancelled", { reason: "forced" });
    signal.throwIfAborted();
    const failure = asError(error);
    emitter.emit("failed", { error: failure, fallback: "extractive" });
    return { written: undefined, calls, failure };
  }
}

/** The report of a text. Listeners are told of it, if a model wrote it. */
function emitReport<M>(operation: Operation<M>, made: ByModel & { readonly text: string }): Report {
  const report = reportFor(operation, made);
  if (made.written === undefined) return report;
  const state = prepareState(operation, { checkpoint: report.checkpoint, beside: true });
  emitCompleted(operation.engine, report, state);
  return report;
}

function reportFor<M>(
  operation: Operation<M>,
  { text, calls, written, failure }: ByModel & { readonly text: string },
): Report {
  const accepted = calls.findLast((one) => one.result === "accepted")?.rung;
  return reportOf(operation, {
    outcome: "pass",
    reason: undefined,
    rungs: [
      { rung: (written !== undefined && accepted) || "extractive", result: text ? "used" : "not-enough" },
    ],
    calls,
    ...(failure && { warnings: [failedWarning(failure)] }),
    checkpoint: operation.survey.checkpoint?.id,
  });
}

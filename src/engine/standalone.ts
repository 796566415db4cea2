import { ConfigError } from "../core/errors.ts";
import type {
  Compactor,
  HandoverInput,
  HandoverResult,
  ModelCall,
  Report,
  SummarizeInput,
} from "../core/types.ts";
import { handoverText, type PeopleTextInput, peopleText } from "../summaries/digest/people-text.ts";
import { forReaders } from "../summaries/record-pointers.ts";
import { summaryMessage } from "../summaries/summary-message.ts";
import { asError } from "./background.ts";
import type { Operation } from "./operation.ts";
import { reportOf } from "./report.ts";
import { writeHandover } from "./write-summaries.ts";
import { summarizerWindow } from "./writing/summarizer-window.ts";

/** Texts about a conversation that stand by themselves: they change no state and no view. */

/** Length of such a text (tokens). */
const DEFAULT_CAP = 2_500;
/** Of a hand-over, what a model may write; goal, rules and files need the rest. */
const NARRATIVE_SHARE = 0.7;

/** Of the model's window, what it may write. */
const MOST_OF_WINDOW = 0.125;

export async function summarize<M>(
  operation: Operation<M>,
  input: SummarizeInput<M>,
): ReturnType<Compactor<M>["summarize"]> {
  const cap = input.cap ?? DEFAULT_CAP;
  const { written, calls } = await byModel(operation, cap);
  const text =
    input.form === "record"
      ? (written ?? recordText(operation, cap, input.focus))
      : written === undefined
        ? peopleText({
            ...peopleInput(operation, cap),
            ...(input.focus !== undefined && { focus: input.focus }),
          })
        : forReaders(written);
  return {
    text,
    tokens: operation.survey.conversation.measure.text(text),
    report: report(operation, text, calls, written),
  };
}

export async function handover<M>(
  operation: Operation<M>,
  input: HandoverInput<M>,
): Promise<HandoverResult<M>> {
  const cap = input.cap ?? DEFAULT_CAP;
  const { written, calls } = await byModel(operation, Math.floor(cap * NARRATIVE_SHARE));
  const text = handoverText({
    ...peopleInput(operation, cap),
    goal: input.goal.trim(),
    ...(written !== undefined && { narrative: forReaders(written) }),
  });
  return {
    text,
    tokens: operation.survey.conversation.measure.text(text),
    message: operation.engine.dialect.write({ role: "user", text }),
    report: report(operation, text, calls, written),
  };
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
function recordText<M>(
  { engine, survey, input }: Operation<M>,
  cap: number,
  focus: string | undefined,
): string {
  const { messages, structure, measure } = survey.conversation;
  const made = summaryMessage({
    messages,
    hidden: [{ from: structure.start, to: messages.length }],
    visible: () => false,
    cap,
    count: measure.text,
    shares: engine.settings.shares,
    ...(input.hostState !== undefined && { hostState: input.hostState }),
    ...(focus !== undefined && { focus }),
    isOurs: engine.writtenTexts.has,
  });
  const text = made?.text ?? "";
  engine.writtenTexts.add(text);
  return text;
}

/** The model's own summary of everything; none without a model, or if it failed. */
async function byModel<M>(
  operation: Operation<M>,
  cap: number,
): Promise<{ readonly written: string | undefined; readonly calls: readonly ModelCall[] }> {
  const { engine, survey, input } = operation;
  const calls: ModelCall[] = [];
  const length = survey.conversation.chain.length - 1;
  if (!engine.summarizer || length === 0) return { written: undefined, calls };
  const signal = input.signal ?? new AbortController().signal;
  // Beside notes and record the conversation itself must fit.
  const most = Math.floor(summarizerWindow(engine.summarizer) * MOST_OF_WINDOW);
  try {
    return {
      written: await writeHandover(operation, { from: 0, to: length }, Math.min(cap, most), {
        signal,
        calls,
      }),
      calls,
    };
  } catch (error) {
    signal.throwIfAborted();
    engine.emitter.emit("failed", { error: asError(error), fallback: "extractive" });
    return { written: undefined, calls };
  }
}

function report<M>(
  { engine, survey }: Operation<M>,
  text: string,
  calls: readonly ModelCall[],
  written: string | undefined,
): Report {
  const accepted = calls.findLast((one) => one.result === "accepted")?.rung;
  return reportOf({
    survey: survey,
    settings: engine.settings,
    dialect: engine.dialect,
    outcome: "pass",
    reason: undefined,
    draft: survey.current,
    tokens: survey.tokens,
    rungs: [
      {
        rung: (written !== undefined && accepted) || "extractive",
        result: text ? "used" : "not-enough",
      },
    ],
    calls,
    warnings: [],
    prefixReason: undefined,
    checkpoint: survey.checkpoint?.id,
  });
}

import type { Draft } from "../../core/draft.ts";
import { renderView } from "../../core/render.ts";
import type {
  FitResult,
  ModelCall,
  Outcome,
  Reason,
  Report,
  State,
  Summary,
  Warning,
} from "../../core/types.ts";
import { noteRequest } from "../background/may-ask.ts";
import type { Climb } from "../ladder/ladder.ts";
import { withHostNote } from "../read/host-note.ts";
import { type Operation, type Survey, tellBound } from "../read/survey.ts";
import { type Quoted, quotationsOf, withFittingQuotations, withQuoted } from "../recall/quotations.ts";
import { withCacheMarks } from "./cache-marks.ts";
import {
  checkpointOf,
  endedQuotations,
  keepRecords,
  prefixReason,
  prepareState,
  viewOf,
  wholeReason,
} from "./records.ts";
import { reportOf, viewWarnings } from "./report.ts";

/** What an operation came to. */
interface Delivery {
  readonly reason: Reason | undefined;
  readonly result: Climb;
  /** Write a checkpoint, so that the view stands until the next compaction. */
  readonly adopt: boolean;
  /** The view was made for a budget of this operation alone. */
  readonly filling?: boolean;
  /** A summary is being written: nothing was to be done yet. */
  readonly waiting?: boolean;
  readonly background?: Promise<readonly Summary[]> | undefined;
  readonly warnings?: readonly Warning[];
  /** Quote what the newest user message asks for and the view hides. */
  readonly recalls?: boolean;
}

/** Renders the outcome, writes its checkpoint, and tells what happened. */
export async function deliver<M>(given: Operation<M>, delivery: Delivery): Promise<FitResult<M>> {
  const { reason, result } = delivery;
  const operation = withFittingQuotations(given, result);
  const { survey } = operation;
  const made = delivery.adopt && result.draft && reason ? checkpointOf(operation, reason, result) : undefined;
  const checkpoint = made ?? (result.draft ? undefined : survey.checkpoint);
  const { recalled, saved } = await keepRecords(operation, {
    made,
    quotedIn: delivery.recalls ? checkpoint : undefined,
    result,
  });
  const quoted = [
    ...(result.draft ? [] : survey.quoted),
    ...(recalled ? [{ ...recalled.quoted, record: recalled.record }] : []),
  ];
  const draft = viewDraft(operation, result, quoted);
  // A person who asked is told what was paid for, whatever came of it.
  const calls = result.draft || reason === "forced" ? takeCalls(operation) : [];
  // A view that isn't adopted stands beside the conversation's own, which the next call goes on from.
  const beside = !made && (result.draft !== undefined || delivery.filling === true);
  const stateWith = prepareState(operation, {
    made,
    checkpoint: checkpoint?.id,
    beside,
    ...(recalled && { recalled: [recalled.record] }),
    quoted,
  });
  const { state, background } = statesOf(stateWith, delivery.background);
  const report = reportOf(operation, {
    outcome: outcomeOf(delivery, survey),
    reason,
    draft,
    tokens: viewOf(operation, result).tokens + (recalled?.quoted.tokens ?? 0),
    recalled: recalled?.passages ?? [],
    quoted: quotationsOf(quoted, survey.conversation),
    unquoted: beside ? [] : quotationsOf(endedQuotations(given, quoted), survey.conversation),
    rungs: result.rungs,
    calls,
    warnings: [
      ...(delivery.warnings ?? []),
      ...viewWarnings(operation, { draft, made: result.draft, recalled: recalled?.quoted.text, calls }),
      ...saved,
    ],
    prefixReason:
      beside && !result.draft
        ? wholeReason(survey.state.last)
        : prefixReason(operation, checkpoint?.id, result.draft !== undefined),
    checkpoint: checkpoint?.id,
  });
  tell(operation, result, report, state);
  noteRequest(operation, report.tokens.after);
  return {
    ...render(operation, report.entries),
    report,
    get state() {
      return state();
    },
    get background() {
      return background();
    },
  };
}

/** The wire messages of a view, with the system messages that the host lost. */
function render<M>(
  { engine, transcript, input, survey }: Operation<M>,
  entries: Report["entries"],
): Pick<FitResult<M>, "messages" | "system"> {
  const { dialect } = engine;
  const { system: given, extras } = input;
  const rendered = renderView({ dialect, transcript, entries, system: given, extras });
  const { messages, system } = engine.marksViews
    ? withCacheMarks(rendered, { ...input, dialect, entries })
    : rendered;
  return { messages: [...survey.restored, ...messages], system };
}

/** The state of now, and the one with what is written in the background. Each is made when it is first asked for. */
function statesOf(
  stateWith: ReturnType<typeof prepareState>,
  summaries: Promise<readonly Summary[]> | undefined,
): { state(): State; background(): Promise<State> } {
  let written: State | undefined;
  let later: Promise<State> | undefined;
  return {
    state() {
      written ??= stateWith();
      return written;
    },
    background() {
      later ??= (async () => {
        if (summaries) return stateWith(await summaries);
        written ??= stateWith();
        return written;
      })();
      return later;
    },
  };
}

/** Tells listeners what happened, and how full the view is now. */
function tell<M>(
  { engine, survey }: Operation<M>,
  { draft }: Climb,
  report: Report,
  state: () => State,
): void {
  const { emitter } = engine;
  if (draft) {
    for (const { message } of draft.inserts) engine.writtenTexts.add(message.text);
    engine.circuit.applied(survey.name);
    emitter.emit("started", { reason: report.reason ?? "pressure" });
    emitter.emit("completed", {
      report,
      get state() {
        return state();
      },
    });
  }
  const { after } = report.tokens;
  if (survey.bounded) tellBound(engine, after + report.budget.tools);
  emitter.emit("pressure", {
    pressure: report.pressure.after,
    tokens: after,
    budget: survey.budget.budget,
    ...(survey.bounded && { atMost: true }),
  });
}

/** What this request shows: the outcome, what is quoted for user messages, and the host's note. No checkpoint holds these. */
export function viewDraft<M>(
  { engine, survey }: Operation<M>,
  result: Climb,
  quoted: readonly Pick<Quoted, "before" | "text">[] = result.draft ? [] : survey.quoted,
): Draft {
  const { note, messages } = survey.conversation;
  const { rules } = engine.dialect;
  return withHostNote(withQuoted(result.draft ?? survey.current, quoted, rules), note, rules, messages);
}

function outcomeOf(
  { reason, result, waiting }: Delivery,
  { checkpoint }: Pick<Survey<unknown>, "checkpoint">,
): Outcome {
  if (result.draft) return "compacted";
  if (reason && !waiting) return "nothing-to-gain";
  return checkpoint ? "view" : "pass";
}

/** The model calls that this compaction rests on. */
function takeCalls<M>({ engine, survey }: Operation<M>): readonly ModelCall[] {
  const calls = engine.unreported.get(survey.name) ?? [];
  engine.unreported.delete(survey.name);
  return calls;
}

import { makeCheckpoint } from "../core/checkpoint.ts";
import type { Draft } from "../core/draft.ts";
import { renderView } from "../core/render.ts";
import { runNow } from "../core/steps.ts";
import type {
  Budget,
  Checkpoint,
  FitResult,
  ModelCall,
  Outcome,
  Reason,
  Recalled,
  State,
  Summary,
  Warning,
} from "../core/types.ts";
import { inSlices } from "../recall/in-slices.ts";
import { isSummaryMessage } from "../summaries/markers.ts";
import { PLANT_MARK } from "../summaries/plants.ts";
import { withCacheMarks } from "./cache-marks.ts";
import { hiddenEnd } from "./conversation.ts";
import { withHostNote } from "./host-state.ts";
import type { Climb } from "./ladder.ts";
import { headJson } from "./lost-head.ts";
import { narrativeOf } from "./narrative.ts";
import { prepareState } from "./next-state.ts";
import type { Operation } from "./operation.ts";
import { orphanWarnings } from "./orphan-warnings.ts";
import { prefixReason, wholeReason } from "./prefix-change.ts";
import { withFittingQuotations } from "./recall/fitting-quotations.ts";
import { type Quoted, withQuoted } from "./recall/quotations.ts";
import { type RecallNow, recallFor } from "./recall/recall-for.ts";
import { reportOf } from "./report.ts";
import { isRoleNote } from "./rungs/role-notes.ts";
import { openLoop, reopenedLoop, thinkingWarning } from "./signed-reasoning.ts";
import { tellBound } from "./surely-fits.ts";
import type { Survey } from "./survey.ts";

/** Planted lines that a warning repeats, and characters of each. */
const MAX_NAMED_PLANTS = 3;
const MAX_PLANT = 160;

/** Renders the outcome, writes its checkpoint, and tells what happened. */
export async function deliver<M>(
  given: Operation<M>,
  outcome: {
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
  },
): Promise<FitResult<M>> {
  const { reason, result } = outcome;
  const operation = withFittingQuotations(given, result);
  const { engine, transcript, input, survey } = operation;
  const { dialect, settings, emitter } = engine;
  const made = outcome.adopt && result.draft && reason ? checkpointOf(operation, reason, result) : undefined;
  const checkpoint = made ?? (result.draft ? undefined : survey.checkpoint);
  const found =
    outcome.recalls && checkpoint && survey.keepsRecalled
      ? await inSlices(recallFor(operation, viewOf(operation, result)), input.signal)
      : undefined;
  const record = found && checkpoint && recordOf(operation, checkpoint, found);
  const saved =
    made || record || survey.left.length > 0
      ? await engine.records.save({
          ...(made && { checkpoints: [made] }),
          undos: survey.left,
          ...(record && { recalled: [record] }),
        })
      : [];
  // What can't be kept isn't recalled: the next view would be another one.
  const recalled = record && saved.length === 0 ? { ...found, record } : undefined;
  const quoted = [
    ...(result.draft ? [] : survey.quoted),
    ...(recalled ? [{ ...recalled.quoted, record: recalled.record }] : []),
  ];
  const draft = viewDraft(operation, result, quoted);
  const tokens = viewOf(operation, result).tokens + (recalled?.quoted.tokens ?? 0);
  const { conversation } = survey;
  const loop = input.extras?.length
    ? undefined
    : (openLoop(conversation, dialect.rules) ?? reopenedLoop(conversation, draft, dialect.rules));
  const thinking = thinkingWarning(conversation, draft, loop);
  // A person who asked is told what was paid for, whatever came of it.
  const calls = result.draft || reason === "forced" ? takeCalls(operation) : [];
  const warnings = [
    ...(outcome.warnings ?? []),
    ...plantedWarnings(calls, result.draft, recalled?.quoted.text),
    ...unspokenWarnings(result.draft, survey.budget),
    ...(thinking ? [thinking] : []),
    ...orphanWarnings(survey.conversation, draft),
    ...saved,
  ];
  // A view that isn't adopted stands beside the conversation's own, which the next call goes on from.
  const beside = !made && (result.draft !== undefined || outcome.filling === true);
  const stateWith = prepareState(operation, {
    made,
    checkpoint: checkpoint?.id,
    beside,
    ...(recalled && { recalled: [recalled.record] }),
    quoted,
  });
  let written: State | undefined;
  const state = (): State => {
    written ??= runNow(stateWith());
    return written;
  };
  const newer = once(async () => {
    if (outcome.background) return inSlices(stateWith(await outcome.background));
    written ??= await inSlices(stateWith());
    return written;
  });
  const report = reportOf({
    survey: survey,
    settings,
    dialect,
    outcome: outcomeOf(outcome, survey),
    reason,
    draft,
    tokens,
    recalled: recalled?.passages ?? [],
    rungs: result.rungs,
    calls,
    warnings,
    prefixReason:
      beside && !result.draft
        ? wholeReason(survey.state.last)
        : prefixReason(operation, checkpoint?.id, result.draft !== undefined),
    checkpoint: checkpoint?.id,
  });
  if (result.draft) {
    for (const { message } of result.draft.inserts) engine.writtenTexts.add(message.text);
    engine.circuit.applied(survey.name);
    emitter.emit("started", { reason: reason ?? "pressure" });
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
  const rendered = renderView({
    dialect,
    transcript,
    entries: report.entries,
    system: input.system,
    extras: input.extras,
  });
  const view = engine.marksViews
    ? withCacheMarks(rendered, { dialect, entries: report.entries, tools: input.tools })
    : rendered;
  return {
    messages: [...survey.restored, ...view.messages],
    system: view.system,
    report,
    get state() {
      return state();
    },
    get background() {
      return newer();
    },
  };
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

/** The view before anything more is recalled for it. */
export function viewOf<M>({ survey }: Operation<M>, result: Climb): Parameters<typeof recallFor<M>>[1] {
  return {
    draft: result.draft ?? survey.current,
    // A ladder that gained nothing has counted the view without what it quotes.
    tokens: result.draft ? result.tokens : survey.tokens,
    quoted: result.draft ? [] : survey.quoted,
    isNew: result.draft !== undefined,
  };
}

function recordOf<M>({ survey }: Operation<M>, checkpoint: Checkpoint, { quoted }: RecallNow): Recalled {
  const { chain } = survey.conversation;
  const length = chain.length - 1;
  return {
    hash: chain[length]!,
    length,
    checkpoint: checkpoint.id,
    passages: quoted.places,
    at: survey.recordAt,
  };
}

function checkpointOf<M>(operation: Operation<M>, reason: Reason, result: Climb): Checkpoint | undefined {
  const { engine, survey } = operation;
  const { conversation, tokens } = survey;
  const told = narrativeOf(
    survey.state.summaries,
    conversation.chain,
    hiddenEnd(conversation, result.draft!.fates),
    operation.range?.place === "inside" ? operation.range.run.from - conversation.structure.start : 0,
  );
  return makeCheckpoint({
    draft: result.draft!,
    messages: conversation.messages,
    start: conversation.structure.start,
    chain: conversation.chain,
    head: headJson(operation),
    toldOf: told.records.length > 0 ? told.sealed : 0,
    facts: {
      dialect: engine.dialect.id,
      strategy: engine.settings.strategy,
      budget: survey.ownBudget,
      at: survey.recordAt,
      reason,
      rung: result.rung,
      tokens: { before: tokens, after: result.tokens },
      sealed: operation.range?.place === "inside" ? (survey.checkpoint?.sealed ?? 0) : told.sealed,
      seen: { messages: conversation.messages.length, turns: conversation.structure.turns.length },
    },
  });
}

function outcomeOf(
  { reason, result, waiting }: { reason: Reason | undefined; result: Climb; waiting?: boolean },
  { checkpoint }: Pick<Survey<unknown>, "checkpoint">,
): Outcome {
  if (result.draft) return "compacted";
  if (reason && !waiting) return "nothing-to-gain";
  return checkpoint ? "view" : "pass";
}

/** The model calls that this compaction rests on. */
function takeCalls<M>({
  engine,
  survey,
}: Operation<M>): NonNullable<ReturnType<Engine["unreported"]["get"]>> {
  const calls = engine.unreported.get(survey.name) ?? [];
  engine.unreported.delete(survey.name);
  return calls;
}

/** Messages are hidden, and nothing speaks for them: a summary has no room in so small a budget. */
function unspokenWarnings(draft: Draft | undefined, { budget }: Pick<Budget, "budget">): Warning[] {
  if (!draft || draft.inserts.some((one) => isSummaryMessage(one.message.text) && !isRoleNote(one)))
    return [];
  const hidden = draft.fates.filter((fate) => fate.type === "drop" && fate.reason === "budget").length;
  if (hidden === 0) return [];
  return [
    {
      code: "no-summary-fits",
      message: `A budget of ${budget} tokens has no room for a summary: the newest whole messages are shown, and ${hidden} older ones are not. They can be recalled.`,
    },
  ];
}

/** What a tool result or a file told the model to do stands in the view, by a summary or quoted: a person should look at it. */
function plantedWarnings(
  calls: readonly ModelCall[],
  draft: Draft | undefined,
  recalled: string | undefined,
): Warning[] {
  const notes = calls.flatMap(({ result, note }) => (result === "accepted" && note ? [note] : []));
  const quoted = plantsIn(draft, recalled);
  const warn = (message: string): Warning => ({ code: "planted-instruction", message });
  return [
    ...(notes.length === 0
      ? []
      : [
          warn(
            `A summary may pass on an instruction that stood in a tool result or a file; it is marked there: ${notes.join("; ")}`,
          ),
        ]),
    ...(quoted.length === 0
      ? []
      : [
          warn(
            `The summary message quotes ${quoted.length === 1 ? "a line that tells" : `${quoted.length} lines that tell`} the model what to do; each is marked as not to be followed: ${quoted.slice(0, MAX_NAMED_PLANTS).join("; ")}`,
          ),
        ]),
  ];
}

/** The marked lines of what a draft writes. */
function plantsIn(draft: Draft | undefined, recalled = ""): string[] {
  const texts = (draft?.inserts ?? []).map(({ message }) => message.text);
  const appended = (draft?.fates ?? []).flatMap((fate) =>
    fate.type === "edit" ? fate.edits.flatMap((edit) => (edit.type === "append" ? [edit.text] : [])) : [],
  );
  const lines = [...new Set([...texts, ...appended, recalled])].join("\n").split("\n");
  return lines.flatMap((line) => {
    const at = line.indexOf(PLANT_MARK);
    return at < 0
      ? []
      : [
          line
            .slice(at + PLANT_MARK.length)
            .trim()
            .slice(0, MAX_PLANT),
        ];
  });
}

type Engine = Operation<unknown>["engine"];

/** A function that is called at most once; after that it gives the same again. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

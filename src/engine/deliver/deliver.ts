import { makeCheckpoint } from "../../core/checkpoint.ts";
import { defined, keepNewest } from "../../core/collections.ts";
import type { Draft } from "../../core/draft.ts";
import { renderView, systemMessage } from "../../core/draft.ts";
import { readableText } from "../../core/message-text.ts";
import { systemChanges, systemChangeWords, watchPrompt } from "../../core/system-changes.ts";
import type {
  Checkpoint,
  Dialect,
  Entry,
  FitInput,
  FitResult,
  ModelCall,
  Outcome,
  Reason,
  Recalled,
  Report,
  State,
  Summary,
  Warning,
} from "../../core/types.ts";
import type { Engine } from "../engine.ts";
import type { Climb } from "../ladder/ladder.ts";
import { failedWarning, noteRequest } from "../plan/may-ask.ts";
import { narrativeOf } from "../plan/narrative.ts";
import { hasSystem, hiddenEnd, withHostNote } from "../read/conversation.ts";
import { limitToRemember } from "../read/limits.ts";
import { type Quoted, quotationsOf, withFittingQuotations, withQuoted } from "../read/quotations.ts";
import { headJson } from "../read/read-conversation.ts";
import { noteBound, type Operation, type Survey } from "../read/survey.ts";
import { type RecallNow, recallFor } from "../recall/recall-for.ts";
import { headMessages, prefixReason, prepareState } from "./last-view.ts";
import { repeatedIn, reportOf, viewWarnings } from "./report.ts";

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
  /** A request is about to be sent: quote what its newest user message asks for and the view hides. */
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
    rungs: result.rungs,
    calls,
    warnings: [
      ...(delivery.warnings ?? []),
      ...takeFailure(operation, delivery.warnings),
      ...viewWarnings(operation, { draft, made: result.draft, recalled: recalled?.quoted.text, calls }),
      ...(delivery.recalls ? promptWarnings(operation) : []),
      ...saved,
    ],
    prefixReason:
      beside && !result.draft
        ? // A view of everything, which was asked for with a budget that it fits.
          survey.state.last?.checkpoint === undefined
          ? undefined
          : "larger-budget"
        : prefixReason(operation, checkpoint?.id, result.draft !== undefined),
    checkpoint: checkpoint?.id,
    ...defined({
      summaryCheck: result.draft?.inserts.find(({ check }) => check)?.check,
      repeated: delivery.recalls ? repeatedIn(survey) : undefined,
    }),
  });
  emit(operation, result, report, state);
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
function emit<M>(
  { engine, survey }: Operation<M>,
  { draft }: Climb,
  report: Report,
  state: () => State,
): void {
  const { emitter } = engine;
  if (draft) {
    for (const { message } of draft.inserts) engine.writtenTexts.add(message.text);
    engine.circuit.applied(survey.chat);
    emitter.emit("started", { reason: report.reason ?? "pressure" });
    emitCompleted(engine, report, state);
  }
  const { after } = report.tokens;
  if (survey.bounded) noteBound(engine, after + report.budget.tools);
  emitter.emit("pressure", {
    pressure: report.pressure.after,
    tokens: after,
    budget: survey.budget.budget,
    ...(survey.bounded && { atMost: true }),
  });
}

/** Tells listeners what is there now. The state is put together when one of them asks for it. */
export function emitCompleted<M>({ emitter }: Engine<M>, report: Report, state: () => State): void {
  emitter.emit("completed", {
    report,
    get state() {
      return state();
    },
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
  const calls = engine.unreported.get(survey.chat) ?? [];
  engine.unreported.delete(survey.chat);
  return calls;
}

/** Names a failure of the summariser in one report; nothing where that says already why it isn't asked again. */
function takeFailure<M>({ engine, survey }: Operation<M>, warnings: readonly Warning[] = []): Warning[] {
  const error = engine.failures.get(survey.chat);
  engine.failures.delete(survey.chat);
  if (!error || warnings.some(({ code }) => code === "summarizer-resting")) return [];
  return [failedWarning(error)];
}

/** Saves what this operation made, and what is recalled for the newest user message where its view can quote it. */
async function keepRecords<M>(
  operation: Operation<M>,
  given: {
    readonly made: Checkpoint | undefined;
    /** The checkpoint whose view would quote it; undefined if nothing is to be recalled. */
    readonly quotedIn: Checkpoint | undefined;
    readonly result: Climb;
  },
): Promise<{
  readonly recalled: (RecallNow & { readonly record: Recalled }) | undefined;
  readonly saved: readonly Warning[];
}> {
  const { engine, survey } = operation;
  const { made, quotedIn } = given;
  const found =
    quotedIn && survey.keepsRecalled
      ? await recallFor(operation, viewOf(operation, given.result))
      : undefined;
  const { chain } = survey.conversation;
  const length = chain.length - 1;
  const record = found &&
    quotedIn && {
      hash: chain[length]!,
      length,
      checkpoint: quotedIn.id,
      passages: found.quoted.places,
      at: survey.recordAt,
    };
  if (!made && !record && survey.left.length === 0) return { recalled: undefined, saved: [] };
  const saved = await engine.records.save({
    ...(made && { checkpoints: [made] }),
    undos: survey.left,
    ...(record && { recalled: [record] }),
  });
  // What can't be kept isn't recalled: the next view would be another one.
  return { recalled: found && record && saved.length === 0 ? { ...found, record } : undefined, saved };
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

/** The record of a compaction that is applied. */
function checkpointOf<M>(operation: Operation<M>, reason: Reason, result: Climb): Checkpoint | undefined {
  const { engine, survey } = operation;
  const { conversation, tokens } = survey;
  const narrative = narrativeOf(
    survey.state.summaries,
    conversation.chain,
    hiddenEnd(conversation, result.draft!.fates),
    operation.range?.place === "inside" ? operation.range.run.from - conversation.structure.start : 0,
  );
  const limit = reason === "rejected" ? limitToRemember(operation) : undefined;
  return makeCheckpoint({
    draft: result.draft!,
    messages: conversation.messages,
    start: conversation.structure.start,
    chain: conversation.chain,
    head: headJson(operation),
    summarized: narrative.records.length > 0 ? narrative.sealed : 0,
    facts: {
      dialect: engine.dialect.id,
      strategy: engine.settings.strategy,
      budget: survey.ownBudget,
      at: survey.recordAt,
      reason,
      ...(limit !== undefined && { limit }),
      rung: result.rung,
      tokens: { before: tokens, after: result.tokens },
      sealed: operation.range?.place === "inside" ? (survey.checkpoint?.sealed ?? 0) : narrative.sealed,
      seen: {
        messages: conversation.messages.length,
        turns: conversation.structure.turns.length,
        hash: conversation.chain.at(-1)!,
        length: conversation.chain.length - 1,
      },
    },
  });
}

/** A longer system prompt isn't compared (characters), and so many conversations are remembered. */
const MAX_PROMPT = 100_000;
const MAX_PROMPTS = 100;

/**
 * Tells a host whose system prompt is another one with every request. Many chats begin with the same words: one is known by its first
 * answer and what follows that. Should two be alike that far, neither is shown the other's prompt.
 */
function promptWarnings<M>(operation: Operation<M>): readonly Warning[] {
  const { prompts } = operation.engine;
  const { name, chat } = operation.survey;
  const text = prompts ? headMessages(operation).map(readableText).join("\n") : "";
  if (!prompts || chat === name || text.length > MAX_PROMPT) return [];
  const seen = watchPrompt(prompts.get(chat), text);
  keepNewest(prompts, chat, seen, MAX_PROMPTS);
  const changes = systemChanges(seen);
  if (!changes) return [];
  const { was: _, ...own } = changes;
  return [{ code: "system-changes", message: systemChangeWords(own) }];
}

/**
 * A view with a mark after the system prompt and one after the summary: what is the same in every request until the next
 * compaction. The host's own marks come first: where there is no room for ours, or one stands there already, none is
 * added. The same view gets the same marks.
 */
function withCacheMarks<M>(
  view: { readonly messages: readonly M[]; readonly system: unknown },
  options: {
    readonly dialect: Dialect<M>;
    readonly entries: readonly Entry[];
  } & Pick<FitInput<M>, "tools" | "request">,
): { readonly messages: M[]; readonly system: unknown } {
  const { marks, rules } = options.dialect;
  const messages = [...view.messages];
  let { system } = view;
  if (!marks) return { messages, system };
  // The request itself may carry one, too: the provider then marks its end.
  let left = marks.most - marks.read([options.request, options.tools, system, messages]).length;
  // A mark with a long life may not stand behind one with a short life.
  const lifeBefore = (later: unknown) => (marks.read(later).includes("long") ? "long" : "short");
  const summary = summaryIndex(options.entries, rules.system === "apart");
  const behind = messages.slice(summary + 1);
  if (summary >= 0 && left > 0 && marks.read([messages[summary]]).length === 0) {
    messages[summary] = marks.add(messages[summary]!, lifeBefore(behind));
    left--;
  }
  if (left > 0 && hasSystem(system) && marks.read([system]).length === 0) {
    system = (marks.add(systemMessage<M>(system), lifeBefore(messages)) as { content: unknown }).content;
  }
  return { messages, system };
}

/** Where the summary stands among the messages; −1 if there is none, or if it went into the system prompt. */
function summaryIndex(entries: readonly Entry[], isSystemApart: boolean): number {
  const isMessage = (entry: Entry) =>
    entry.type !== "drop" &&
    !(entry.type === "insert" && (entry.merged || (isSystemApart && entry.message.role === "system")));
  let end = entries.findLastIndex((entry) => entry.type === "insert" && entry.covers.length > 0);
  // Quotations of a summary in the system prompt stand right behind what it covers.
  while (entries[end + 1]?.type === "insert") end++;
  const last = entries
    .slice(0, end + 1)
    .findLastIndex((entry) => entry.type === "insert" && isMessage(entry));
  return last < 0 ? last : entries.slice(0, last).filter(isMessage).length;
}

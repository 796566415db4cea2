import { makeCheckpoint } from "../core/checkpoint.ts";
import { type Draft, entriesOf } from "../core/draft.ts";
import { createTextHash } from "../core/hash.ts";
import { breachesOf } from "../core/invariants.ts";
import { renderView } from "../core/render.ts";
import { boundState } from "../core/state.ts";
import type {
  Checkpoint,
  CompactInput,
  Compactor,
  CompactorOptions,
  FitInput,
  FitResult,
  Measure,
  Outcome,
  Reason,
  State,
  Undo,
  Warning,
} from "../core/types.ts";
import { memoryStore } from "../stores/memory.ts";
import { summaryMessage } from "../summaries/summary-message.ts";
import { createCalibration, createMeasure, exactCounter } from "../tokens/index.ts";
import { createEmitter } from "./emitter.ts";
import { type Climb, climb } from "./ladder.ts";
import { dueReason } from "./moment.ts";
import { pressureOf, reportOf } from "./report.ts";
import { resolveSettings } from "./settings.ts";
import { type Survey, survey } from "./survey.ts";

/** A forced compaction of fewer messages than this has nothing to work with. */
const LEAST_MESSAGES = 4;
/** A view that the provider refused without a number is made this much smaller. */
const REJECTED_SHARE = 0.7;
/** With the provider's own number known, this much of the budget is aimed at. */
const REJECTED_MARGIN = 0.95;
/** Name under which a model that the host didn't name is calibrated. */
const UNNAMED_MODEL = "(unnamed)";
/** Length of a standalone summary (tokens). */
const DEFAULT_SUMMARY_CAP = 2_500;
/** A system prompt up to this size is kept in the state, so that it can be restored (characters of JSON). */
const MAX_STATE_HEAD = 16_384;

/**
 * Keeps conversations of one wire format inside their token budget.
 *
 * @example
 * ```ts
 * import { createCompactor, profiles } from "precis";
 * import { openaiChat } from "precis/dialects";
 *
 * const compactor = createCompactor({ dialect: openaiChat, window: 128_000, profile: profiles.agent });
 * const transcript = [{ role: "user", content: "Why does the build fail?" }];
 * const { messages, state, report } = await compactor.fit(transcript);
 * console.log(messages.length, report.outcome, state.version);
 * ```
 */
export function createCompactor<M>(options: CompactorOptions<M>): Compactor<M> {
  const { dialect } = options;
  const settings = resolveSettings(options);
  const store = options.store ?? memoryStore();
  const textHash = createTextHash();
  const calibration = createCalibration();
  const model = settings.model?.id ?? UNNAMED_MODEL;
  const factor = () =>
    Object.hasOwn(calibration.toJSON(), model) ? calibration.factor(model) : (settings.model?.factor ?? 1);
  const { emit, on } = createEmitter();
  let measure: { readonly factor: number; readonly value: Measure } | undefined;

  /** The measure for the present calibration; the tokenizer is loaded on first use. */
  const currentMeasure = async (): Promise<Measure> => {
    const present = factor();
    if (measure?.factor === present) return measure.value;
    const counter = options.counter ?? (await exactCounter(settings.model?.encoding ?? "o200k_base"));
    const value = createMeasure({
      counter,
      factor: present,
      ...(settings.model && { images: settings.model.images }),
      ...(settings.frames && { frames: settings.frames }),
    });
    measure = { factor: present, value };
    return value;
  };

  const look = async <T extends M>(
    transcript: readonly T[],
    input: FitInput<T>,
    more: { readonly budget?: number | undefined; readonly fresh?: boolean } = {},
  ): Promise<Survey<T>> => {
    input.signal?.throwIfAborted();
    return survey<T>({
      dialect: dialect as unknown as CompactorOptions<T>["dialect"],
      settings,
      store,
      measure: await currentMeasure(),
      textHash,
      transcript,
      input,
      ...more,
    });
  };

  /** The post-conditions of a draft, judged on the wire messages that it renders to. */
  const judge =
    <T extends M>(seen: Survey<T>, transcript: readonly T[], input: FitInput<T>, limit: number) =>
    (draft: Draft, tokens: number): readonly string[] => {
      const { conversation } = seen;
      const entries = entriesOf(draft);
      const rendered = renderView<M>({ dialect, transcript, entries, system: input.system });
      return breachesOf({
        messages: conversation.messages,
        structure: conversation.structure,
        entries,
        shown: rendered.messages.map((message) => dialect.read(message)),
        rules: dialect.rules,
        isHead: conversation.isHead,
        tokens,
        budget: limit,
        transcriptTokens: conversation.total,
      });
    };

  const nothing = (seen: Survey<unknown>): Climb => ({
    draft: undefined,
    rung: "nothing-due",
    tokens: seen.tokens,
    rungs: [{ rung: "nothing-due", result: "used", tokens: seen.tokens }],
  });

  /** What `fit` does, without doing it. */
  const decide = <T extends M>(
    seen: Survey<T>,
    transcript: readonly T[],
    input: FitInput<T>,
    now: number,
  ) => {
    const { conversation, current, budget, tokens, checkpoint } = seen;
    const rejected = input.rejected !== undefined && input.rejected !== false;
    let due: Reason | undefined = dueReason({
      ...seen,
      settings,
      rules: dialect.rules,
      now,
      lastRequestAt: input.lastRequestAt,
      rejected,
    });
    const limit = rejected
      ? Math.min(budget.budget, rejectedLimit(input.rejected, tokens, budget.budget))
      : budget.budget;
    if (!due && checkpoint && judge(seen, transcript, input, limit)(current, tokens).length > 0) {
      due = "invalid-checkpoint";
    }
    const result = due
      ? climb(
          {
            conversation,
            current:
              due === "invalid-checkpoint"
                ? { fates: conversation.messages.map(() => ({ type: "keep" })), inserts: [] }
                : current,
            settings,
            rules: dialect.rules,
            limit,
            goal: Math.min(seen.goal, limit),
            anyGain: tokens > limit || rejected,
            hostState: input.hostState,
          },
          judge(seen, transcript, input, limit),
        )
      : nothing(seen);
    return { due, result };
  };

  /** Renders the outcome, writes its checkpoint, and tells what happened. */
  const finish = async <T extends M>(args: {
    readonly seen: Survey<T>;
    readonly transcript: readonly T[];
    readonly input: FitInput<T>;
    readonly now: number;
    readonly reason: Reason | undefined;
    readonly result: Climb;
    readonly adopt: boolean;
    readonly own?: boolean;
  }): Promise<FitResult<T>> => {
    const { seen, transcript, input, now, reason, result } = args;
    const { conversation, current, budget } = seen;
    const warnings: Warning[] = [];
    const draft = result.draft ?? current;
    const made =
      result.draft && reason && args.adopt
        ? makeCheckpoint({
            draft,
            messages: conversation.messages,
            start: conversation.structure.start,
            chain: conversation.chain,
            facts: {
              dialect: dialect.id,
              strategy: settings.strategy,
              budget: budget.budget,
              at: now,
              reason,
              rung: result.rung,
              tokens: { before: seen.tokens, after: result.tokens },
              seen: { messages: conversation.messages.length, turns: conversation.structure.turns.length },
            },
          })
        : undefined;
    if (made) warnings.push(...(await saved({ checkpoints: [made] })));
    const checkpoint = made ?? (result.draft ? undefined : seen.checkpoint);
    const outcome: Outcome = result.draft
      ? "compacted"
      : reason
        ? "nothing-to-gain"
        : seen.checkpoint
          ? "view"
          : "pass";
    const state = nextState(seen, transcript, made, checkpoint?.id);
    const rendered = renderView<M>({
      dialect,
      transcript,
      entries: entriesOf(draft),
      system: input.system,
      extras: input.extras,
    });
    const report = reportOf({
      survey: seen,
      settings,
      dialect: dialect as unknown as CompactorOptions<T>["dialect"],
      outcome,
      reason,
      draft,
      tokens: result.tokens,
      rungs: result.rungs,
      warnings,
      prefixChanged: prefixChanged(seen, checkpoint?.id, result.draft !== undefined),
      checkpoint: checkpoint?.id,
    });
    if (outcome === "compacted") emit("completed", { report, state });
    emit("pressure", { pressure: report.pressure.after, tokens: report.tokens.after, budget: budget.budget });
    return {
      messages: [...seen.restored, ...rendered.messages] as T[],
      system: rendered.system,
      state,
      report,
      background: Promise.resolve(state),
    };
  };

  /** A store that fails must not fail the conversation: what couldn't be saved is made again when it is needed. */
  const saved = async (records: Parameters<typeof store.save>[0]): Promise<Warning[]> => {
    try {
      await store.save(records);
      return [];
    } catch (error) {
      return [{ code: "store-failed", message: `The store could not save: ${String(error)}` }];
    }
  };

  const nextState = <T extends M>(
    seen: Survey<T>,
    transcript: readonly T[],
    made: Checkpoint | undefined,
    checkpoint: string | undefined,
  ): State => {
    const { conversation, state } = seen;
    const { chain, structure, messages } = conversation;
    const leading = transcript.slice(0, structure.start);
    const head = leading.length > 0 ? leading : state.head;
    const keepHead = head && JSON.stringify(head).length <= MAX_STATE_HEAD;
    const length = chain.length - 1;
    return boundState(
      {
        version: 1,
        checkpoints: made
          ? [...state.checkpoints.filter(({ id }) => id !== made.id), made]
          : state.checkpoints,
        summaries: state.summaries,
        undos: state.undos,
        ...(keepHead && { head }),
        last: { hash: chain[length]!, length, ...(checkpoint !== undefined && { checkpoint }) },
      },
      characters(messages),
    );
  };

  const fit = async <T extends M>(
    transcript: readonly T[],
    input: FitInput<T> = {},
  ): Promise<FitResult<T>> => {
    const now = input.now ?? Date.now();
    const seen = await look(transcript, input);
    const { due, result } = decide(seen, transcript, input, now);
    if (due && result.draft) emit("started", { reason: due });
    return finish({ seen, transcript, input, now, reason: due, result, adopt: true });
  };

  const compact = async <T extends M>(
    transcript: readonly T[],
    input: CompactInput<T> = {},
    fresh = false,
  ): Promise<FitResult<T>> => {
    const now = input.now ?? Date.now();
    const filling = input.budget !== undefined;
    const seen = await look(transcript, input, { budget: input.budget, fresh: fresh || filling });
    const { conversation, budget, tokens } = seen;
    const fixed = conversation.head + conversation.apart.extras;
    const goal = filling
      ? budget.budget
      : Math.min(seen.goal, Math.max(fixed, Math.floor((fresh ? conversation.total : tokens) / 2)));
    const tooLittle = conversation.messages.length - conversation.structure.start < LEAST_MESSAGES;
    const asIs = tokens <= budget.budget && (filling || tooLittle);
    const result = asIs
      ? nothing(seen)
      : climb(
          {
            conversation,
            current: seen.current,
            settings,
            rules: dialect.rules,
            limit: budget.budget,
            goal,
            anyGain: true,
            hostState: input.hostState,
            focus: input.focus,
          },
          judge(seen, transcript, input, budget.budget),
        );
    if (result.draft) emit("started", { reason: "forced" });
    return finish({ seen, transcript, input, now, reason: "forced", result, adopt: input.adopt ?? !filling });
  };

  return {
    fit,
    compact: (transcript, input) => compact(transcript, input),
    async plan(transcript, input = {}) {
      const seen = await look(transcript, input);
      const { due, result } = decide(seen, transcript, input, input.now ?? Date.now());
      return {
        due,
        entries: entriesOf(result.draft ?? seen.current),
        calls: [],
        rungs: result.rungs,
        budget: seen.budget,
        pressure: { before: seen.pressure, after: result.tokens / seen.budget.budget },
        tokens: { transcript: seen.conversation.total, before: seen.tokens, after: result.tokens },
        warnings: seen.warnings,
      };
    },
    async pressure(transcript, input = {}) {
      return pressureOf(await look(transcript, input));
    },
    async prepare(transcript, input = {}) {
      const seen = await look(transcript, input);
      return nextState(seen, transcript, undefined, seen.checkpoint?.id);
    },
    observe({ usage, tokens, model: named = model }) {
      calibration.observe({
        model: named,
        counted: tokens,
        reported: usage.input,
        factor: named === model ? factor() : 1,
      });
    },
    async summarize(transcript, input = {}) {
      const seen = await look(transcript, input);
      const { messages, structure } = seen.conversation;
      const cap = input.cap ?? DEFAULT_SUMMARY_CAP;
      const count = (await currentMeasure()).text;
      const summary = summaryMessage({
        messages,
        hidden: [{ from: structure.start, to: messages.length }],
        visible: () => false,
        cap,
        count,
        shares: settings.shares,
        ...(input.hostState !== undefined && { hostState: input.hostState }),
        ...(input.focus !== undefined && { focus: input.focus }),
      });
      const report = reportOf({
        survey: seen,
        settings,
        dialect: dialect as never,
        outcome: "pass",
        reason: undefined,
        draft: seen.current,
        tokens: seen.tokens,
        rungs: [{ rung: "extractive", result: summary ? "used" : "not-enough" }],
        warnings: [],
        prefixChanged: false,
        checkpoint: seen.checkpoint?.id,
      });
      return { text: summary?.text ?? "", tokens: summary?.tokens ?? 0, report };
    },
    async undo(transcript, input = {}) {
      const seen = await look(transcript, input);
      if (!seen.checkpoint) return nextState(seen, transcript, undefined, undefined);
      const skipped = { checkpoint: seen.checkpoint.id, at: input.now ?? Date.now(), pressure: 0 };
      const after = await look(transcript, { ...input, state: withUndo(seen.state, skipped) });
      const undo: Undo = { ...skipped, pressure: after.pressure };
      await saved({ undos: [undo] });
      return nextState(
        { ...after, state: withUndo(seen.state, undo) },
        transcript,
        undefined,
        after.checkpoint?.id,
      );
    },
    rebuild: (transcript, input) => compact(transcript, { ...input, adopt: true }, true),
    async settled() {},
    async close() {},
    on,
  };
}

function withUndo(state: State, undo: Undo): State {
  return { ...state, undos: [...state.undos.filter((one) => one.checkpoint !== undo.checkpoint), undo] };
}

/** What may be sent after the provider refused a view of `tokens` tokens (by our count). */
function rejectedLimit(rejected: FitInput<unknown>["rejected"], tokens: number, budget: number): number {
  if (typeof rejected === "object" && rejected.tokens > 0) {
    return Math.floor(((budget * tokens) / Math.max(rejected.tokens, tokens)) * REJECTED_MARGIN);
  }
  return Math.floor(tokens * REJECTED_SHARE);
}

/** Does the view no longer extend the one that the state remembers? */
function prefixChanged(seen: Survey<unknown>, checkpoint: string | undefined, compacted: boolean): boolean {
  const { last } = seen.state;
  if (!last) return compacted;
  return compacted || last.checkpoint !== checkpoint || seen.conversation.chain[last.length] !== last.hash;
}

/** Size of a transcript in characters, for the bound of the state. */
function characters(messages: Survey<unknown>["conversation"]["messages"]): number {
  let sum = 0;
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type === "text" || part.type === "tool-result" || part.type === "reasoning")
        sum += part.text.length;
      else if (part.type === "tool-call") sum += part.args.length;
    }
  }
  return sum;
}

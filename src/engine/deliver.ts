import { makeCheckpoint } from "../core/checkpoint.ts";
import { stringifyDeep } from "../core/deep-json.ts";
import { renderView, systemMessage } from "../core/render.ts";
import { boundState } from "../core/state.ts";
import type {
  Checkpoint,
  FitResult,
  Message,
  ModelCall,
  Outcome,
  Reason,
  State,
  Summary,
  Warning,
} from "../core/types.ts";
import { withCacheMarks } from "./cache-marks.ts";
import { hasSystem, hiddenEnd } from "./conversation.ts";
import type { Call } from "./decide.ts";
import type { Climb } from "./ladder.ts";
import { narrativeOf } from "./narrative.ts";
import { orphanWarnings } from "./orphan-warnings.ts";
import { reportOf } from "./report.ts";
import { openLoop, thinkingWarning } from "./signed-reasoning.ts";
import type { Survey } from "./survey.ts";

/** A system prompt up to this size is kept in the state, so that it can be restored (characters of JSON). */
const MAX_STATE_HEAD = 16_384;

/** Renders the outcome, writes its checkpoint, and tells what happened. */
export async function deliver<M>(
  call: Call<M>,
  outcome: {
    readonly reason: Reason | undefined;
    readonly result: Climb;
    /** Write a checkpoint, so that the view stands until the next compaction. */
    readonly adopt: boolean;
    /** A summary is being written: nothing was to be done yet. */
    readonly waiting?: boolean;
    readonly background?: Promise<readonly Summary[]> | undefined;
    readonly warnings?: readonly Warning[];
  },
): Promise<FitResult<M>> {
  const { engine, transcript, input, seen } = call;
  const { dialect, settings, emitter } = engine;
  const { reason, result } = outcome;
  const draft = result.draft ?? seen.current;
  const made = outcome.adopt && result.draft && reason ? checkpointOf(call, reason, result) : undefined;
  const saved = made ? await engine.records.save({ checkpoints: [made] }) : [];
  const loop = input.extras?.length ? undefined : openLoop(seen.conversation, dialect.rules);
  const thinking = thinkingWarning(seen.conversation, draft, loop);
  const calls = result.draft ? takeCalls(call) : [];
  const warnings = [
    ...(outcome.warnings ?? []),
    ...plantedWarnings(calls),
    ...(thinking ? [thinking] : []),
    ...orphanWarnings(seen.conversation, draft),
    ...saved,
  ];
  const checkpoint = made ?? (result.draft ? undefined : seen.checkpoint);
  const state = nextState(call, { made, checkpoint: checkpoint?.id });
  const report = reportOf({
    survey: seen,
    settings,
    dialect,
    outcome: outcomeOf(outcome, seen),
    reason,
    draft,
    tokens: result.tokens,
    rungs: result.rungs,
    calls,
    warnings,
    prefixChanged: prefixChanged(call, checkpoint?.id, result.draft !== undefined),
    checkpoint: checkpoint?.id,
  });
  if (result.draft) {
    engine.circuit.applied(seen.name);
    emitter.emit("completed", { report, state });
  }
  const { after } = report.tokens;
  emitter.emit("pressure", { pressure: report.pressure.after, tokens: after, budget: seen.budget.budget });
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
    messages: [...seen.restored, ...view.messages],
    system: view.system,
    state,
    report,
    background:
      outcome.background?.then((summaries) =>
        nextState(call, { made, checkpoint: checkpoint?.id, summaries }),
      ) ?? Promise.resolve(state),
  };
}

/** The state to hand out, with what this call added. */
export function nextState<M>(
  call: Call<M>,
  added: {
    readonly made?: Checkpoint | undefined;
    readonly checkpoint: string | undefined;
    readonly summaries?: readonly Summary[];
    readonly undos?: State["undos"];
  },
): State {
  const { seen, transcript } = call;
  const { conversation, state } = seen;
  const { chain, structure, messages } = conversation;
  const { made, checkpoint } = added;
  const leading = transcript.slice(0, structure.start);
  const head = leading.length > 0 ? leading : state.head;
  const keepHead = head && stringifyDeep(head).length <= MAX_STATE_HEAD;
  const length = chain.length - 1;
  const summaries = new Map([...state.summaries, ...(added.summaries ?? [])].map((one) => [one.key, one]));
  return boundState(
    {
      version: 1,
      checkpoints: made ? [...state.checkpoints.filter(({ id }) => id !== made.id), made] : state.checkpoints,
      summaries: [...summaries.values()],
      undos: added.undos ?? state.undos,
      ...(keepHead && { head }),
      last: {
        hash: chain[length]!,
        length,
        ...(checkpoint !== undefined && { checkpoint }),
        head: headHash(call),
      },
    },
    characters(messages),
  );
}

function checkpointOf<M>(call: Call<M>, reason: Reason, result: Climb): Checkpoint | undefined {
  const { engine, seen, now } = call;
  const { conversation, budget, tokens } = seen;
  return makeCheckpoint({
    draft: result.draft!,
    messages: conversation.messages,
    start: conversation.structure.start,
    chain: conversation.chain,
    facts: {
      dialect: engine.dialect.id,
      strategy: engine.settings.strategy,
      budget: budget.budget,
      at: now,
      reason,
      rung: result.rung,
      tokens: { before: tokens, after: result.tokens },
      sealed: narrativeOf(
        seen.state.summaries,
        conversation.chain,
        hiddenEnd(conversation, result.draft!.fates),
      ).sealed,
      seen: { messages: conversation.messages.length, turns: conversation.structure.turns.length },
    },
  });
}

function outcomeOf(
  { reason, result, waiting }: { reason: Reason | undefined; result: Climb; waiting?: boolean },
  seen: Survey<unknown>,
): Outcome {
  if (result.draft) return "compacted";
  if (reason && !waiting) return "nothing-to-gain";
  return seen.checkpoint ? "view" : "pass";
}

/** The model calls that this compaction rests on. */
function takeCalls<M>({ engine, seen }: Call<M>): NonNullable<ReturnType<Engine["unreported"]["get"]>> {
  const calls = engine.unreported.get(seen.name) ?? [];
  engine.unreported.delete(seen.name);
  return calls;
}

/** A summary that passes on what a tool result told the model to do: a person should look at it. */
function plantedWarnings(calls: readonly ModelCall[]): Warning[] {
  const notes = calls.flatMap(({ result, note }) => (result === "accepted" && note ? [note] : []));
  return notes.length === 0
    ? []
    : [
        {
          code: "planted-instruction",
          message: `A summary may pass on an instruction that stood in a tool result or a file: ${notes.join("; ")}`,
        },
      ];
}

type Engine = Call<unknown>["engine"];

/** Does the view no longer extend the one that the state remembers? */
function prefixChanged<M>(call: Call<M>, checkpoint: string | undefined, compacted: boolean): boolean {
  const { last } = call.seen.state;
  if (!last) return compacted;
  return (
    compacted ||
    last.checkpoint !== checkpoint ||
    call.seen.conversation.chain[last.length] !== last.hash ||
    (last.head !== undefined && last.head !== headHash(call))
  );
}

/** Names the system prompt by what the model reads of it. */
function headHash<M>({ engine, input, seen }: Call<M>): string {
  const { messages, structure } = seen.conversation;
  const apart = hasSystem(input.system) ? [systemMessage<M>(input.system)] : [];
  const read = [...apart, ...seen.restored].map((message) => engine.dialect.read(message));
  return engine.textHash(
    JSON.stringify([...read, ...messages.slice(0, structure.start)].map((message) => message.parts)),
  );
}

/** Size of a transcript in characters, for the bound of the state. */
function characters(messages: readonly Message[]): number {
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

import { makeCheckpoint } from "../core/checkpoint.ts";
import type { Checkpoint, Reason, Recalled, Warning } from "../core/types.ts";
import { hiddenEnd } from "./conversation.ts";
import type { Climb } from "./ladder.ts";
import { headJson } from "./lost-head.ts";
import { narrativeOf } from "./narrative.ts";
import type { Operation } from "./operation.ts";
import { type RecallNow, recallFor } from "./recall/recall-for.ts";
import { limitToRemember } from "./rejected.ts";

/** Saves what this operation made, and what is recalled for the newest user message where its view can quote it. */
export async function keepRecords<M>(
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
  const record = found && quotedIn && recordOf(operation, quotedIn, found);
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

/** The record of a compaction that is applied. */
export function checkpointOf<M>(
  operation: Operation<M>,
  reason: Reason,
  result: Climb,
): Checkpoint | undefined {
  const { engine, survey } = operation;
  const { conversation, tokens } = survey;
  const told = narrativeOf(
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
    toldOf: told.records.length > 0 ? told.sealed : 0,
    facts: {
      dialect: engine.dialect.id,
      strategy: engine.settings.strategy,
      budget: survey.ownBudget,
      at: survey.recordAt,
      reason,
      ...(limit !== undefined && { limit }),
      rung: result.rung,
      tokens: { before: tokens, after: result.tokens },
      sealed: operation.range?.place === "inside" ? (survey.checkpoint?.sealed ?? 0) : told.sealed,
      seen: {
        messages: conversation.messages.length,
        turns: conversation.structure.turns.length,
        hash: conversation.chain.at(-1)!,
        length: conversation.chain.length - 1,
      },
    },
  });
}

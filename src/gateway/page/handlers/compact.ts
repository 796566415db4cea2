import { appliedAgain, editedSummary } from "../../../core/checkpoint.ts";
import { defined } from "../../../core/collections.ts";
import type {
  Checkpoint,
  CompactInput,
  FitResult,
  Reason,
  Report,
  Run,
  Summary,
} from "../../../core/types.ts";
import { schemas } from "../../api/schemas.ts";
import type { CompactAnswer, TimelineFact } from "../../api.ts";
import { measureOf } from "../../compaction/measure.ts";
import { onBehalfOf } from "../../compaction/on-behalf.ts";
import { summaryToApi } from "../../conversation/announcer.ts";
import { changeMeta } from "../../conversation/chat-settings.ts";
import { countAhead, findConversation, type Loaded, load } from "../../conversation/loaded.ts";
import {
  atWork,
  currentPlan,
  isJustCompacted,
  planOutcome,
  pressureOf,
  viewOf,
} from "../../conversation/view-of.ts";
import { notFound, RequestFault } from "../../http/request-fault.ts";
import { compactedFact, describeFailure, failedSummary } from "../../requests/describe-failure.ts";
import { CLIENT_LEFT } from "../../requests/running-request.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { announce, exclusive } from "../event-stream.ts";

/** Undoing more checkpoints than this one by one is a defect, not a long conversation. */
const MAX_CHECKPOINTS = 100;

export const compactHandlers = {
  async compact(context) {
    const { focus, whenDue, ...chosen } = await context.body(schemas.compact);
    const isPlain = !whenDue && focus === undefined && !chosen.upTo && !chosen.range;
    const isDone = isPlain && (await isJustCompacted(context.gateway, context.tenant, context.param("id")));
    const byHand: Work = ({ loaded, compactor, input }) =>
      compactor.compact(loaded.transcript, { ...input, ...defined({ focus }), ...placesIn(loaded, chosen) });
    const made = await compaction(
      context,
      whenDue ? lookWork(context) : isDone ? fitWork : byHand,
      whenDue || isDone ? { isSure: false } : { isWhole: isPlain },
    );
    return isDone && made.outcome === "view"
      ? { ...made, outcome: "nothing-to-gain", isJustCompacted: true }
      : made;
  },

  rebuild: (context) =>
    compaction(context, ({ loaded, compactor, input }) => compactor.rebuild(loaded.transcript, input), {
      isWhole: true,
    }),

  async undoCompaction(context) {
    const { gateway, tenant } = context;
    const { loaded, compactor, input } = atWork(gateway, await load(gateway, tenant, context.param("id")));
    const before = (await standingCheckpoint(context, loaded))?.id;
    await compactor.undo(loaded.transcript, input);
    const after = (await standingCheckpoint(context, loaded))?.id;
    note(context, { type: "undone", checkpoint: before }, after);
    return answer(context, loaded, "undone", undefined);
  },

  async summaries(context) {
    const loaded = await load(context.gateway, context.tenant, context.param("id"));
    return { summaries: (await summariesOf(context, loaded)).map(summaryToApi) };
  },

  async editSummary(context) {
    const { gateway, tenant } = context;
    const { text } = await context.body(schemas.editSummary);
    const loaded = await load(gateway, tenant, context.param("id"));
    const key = context.param("key");
    const standing = await standingCheckpoint(context, loaded);
    const found = (await summariesOf(context, loaded)).find((one) => one.key === key);
    if (!found) throw notFound(`summary ${JSON.stringify(key)}`);
    const measure = await measureOf(gateway, loaded.choice);
    // A new record: the old one stays as it is, and the one that a person wrote goes before it.
    const edited = editedSummary(found, { text, now: gateway.now(), tokens: measure.text(text.trim()) });
    await gateway.records.of(tenant).save({ summaries: [edited] });
    return compaction(
      context,
      async ({ loaded: after, compactor, input }) => {
        // The view that shows the old words is left, and made again with the new ones.
        await compactor.undo(after.transcript, input);
        const range = rangeOf(after, standing, found);
        return compactor.compact(after.transcript, { ...input, ...range, waitMs: 0 });
      },
      {
        fact: ({ checkpoint, tokens }) => ({
          type: "summary-edited",
          key: edited.key,
          view: { ...(checkpoint !== undefined && { checkpoint }), tokens: tokens.after },
        }),
      },
    );
  },

  async clearSummaries(context) {
    const { gateway, tenant } = context;
    const { loaded, compactor, input } = atWork(gateway, await load(gateway, tenant, context.param("id")));
    const summaries = await summariesOf(context, loaded);
    const standing = await standingCheckpoint(context, loaded);
    for (let count = 0; count < MAX_CHECKPOINTS; count++) {
      if ((await standingCheckpoint(context, loaded)) === undefined) break;
      await compactor.undo(loaded.transcript, { ...input, now: gateway.now() });
    }
    // Without their texts the next compaction asks the model anew.
    await gateway.records.forget(
      tenant,
      loaded.stored.map(({ hash }) => hash),
    );
    const cleared = { summaries, ...(standing && { checkpoint: standing.id }) };
    await changeMeta(gateway, tenant, loaded.conversation.id, (meta) =>
      summaries.length > 0 || standing ? { ...meta, cleared } : meta,
    );
    note(context, { type: "cleared" }, undefined);
    return answer(context, loaded, "cleared", undefined);
  },

  async restoreSummaries(context) {
    const { gateway, tenant } = context;
    const loaded = await load(gateway, tenant, context.param("id"));
    const { cleared } = loaded.meta;
    if (!cleared)
      throw new RequestFault(409, "nothing-cleared", "There are no cleared summaries to bring back.", {
        fix: "Compact the conversation: its summaries are written anew.",
      });
    const records = gateway.records.of(tenant);
    const { checkpoints } = await records.find(loaded.stored.map(({ hash }) => hash));
    const standing = checkpoints.find(({ id }) => id === cleared.checkpoint);
    // Its undo stays, so it stands again under another name.
    const again = standing && appliedAgain(standing, gateway.now());
    await records.save({ summaries: cleared.summaries, ...(again && { checkpoints: [again] }) });
    await changeMeta(gateway, tenant, loaded.conversation.id, ({ cleared: _, ...meta }) => meta);
    const view = again && { checkpoint: again.id, tokens: again.tokens.after };
    note(context, { type: "restored", ...(view && { view }) }, again?.id);
    return answer(context, loaded, "restored", undefined);
  },

  async stop({ gateway, tenant, busy, param }) {
    // Of another tenant's conversation nothing is stopped.
    const { id } = await findConversation(gateway, tenant, param("id"));
    busy.stop(id);
    return { ok: true };
  },
} satisfies Partial<Handlers>;

/** What a person chose of the stored messages, as places in the transcript. */
function placesIn(
  { lead, stored }: Loaded,
  { upTo, range }: { readonly upTo?: number | undefined; readonly range?: Run | undefined },
): Pick<CompactInput<unknown>, "upTo" | "range"> {
  if (upTo === undefined && range === undefined) return {};
  const { from, to } = range ?? { from: 0, to: upTo! };
  if ((upTo !== undefined && range !== undefined) || from >= to || to > stored.length) {
    throw new RequestFault(
      400,
      "invalid",
      `These aren't messages of the conversation: it has ${stored.length}.`,
      {
        field: range === undefined ? "upTo" : "range",
        fix: 'Give either "upTo": 12 or "range": { "from": 4, "to": 12 }.',
      },
    );
  }
  return range ? { range: { from: lead.length + from, to: lead.length + to } } : { upTo: lead.length + to };
}

/** A summary that stands between other messages is made again in the same place. */
function rangeOf(
  { lead }: Loaded,
  standing: Checkpoint | undefined,
  { covers }: Summary,
): Pick<CompactInput<unknown>, "range"> {
  const run = standing?.entries.find(
    (entry) => entry.type === "cover" && entry.from <= covers.from && entry.to >= covers.to,
  );
  return run?.type === "cover" && run.from > 0
    ? { range: { from: lead.length + run.from, to: lead.length + run.to } }
    : {};
}

type Work = (of: ReturnType<typeof atWork>) => Promise<FitResult<unknown>>;

interface CompactionOptions {
  /** What the timeline is told instead of the compaction itself. */
  readonly fact?: (report: Report) => TimelineFact;
  /** It will come to a compaction. Otherwise pages are told when it does. */
  readonly isSure?: boolean;
  /** A person asked for all of it, and not for a part. */
  readonly isWhole?: boolean;
}

/** Goes on when the page that asked is closed or loaded anew, as an answer does: it ends where a person stops it. */
async function compaction(
  context: ApiContext,
  work: Work,
  options: CompactionOptions = {},
): Promise<CompactAnswer> {
  const { id } = await findConversation(context.gateway, context.tenant, context.param("id"));
  return exclusive(context, id, "compacting", (signal) => compacted(context, id, signal, work, options));
}

/** Compacts a chat that is being answered by others than a model, if that is due: with a model, the way of a request does so. */
export const compactDue = (context: ApiContext, id: string, signal: AbortSignal): Promise<CompactAnswer> =>
  compacted(context, id, signal, fitWork, { isSure: false });

const fitWork: Work = ({ loaded, compactor, input }) => compactor.fit(loaded.transcript, input);

/** Nobody has said anything yet, so no model is asked, and nothing is paid. */
const lookWork =
  ({ gateway }: ApiContext): Work =>
  ({ loaded, input }) =>
    gateway.compactors.of({ ...loaded.choice, summarizer: "extractive" }).fit(loaded.transcript, input);

async function compacted(
  context: ApiContext,
  id: string,
  signal: AbortSignal,
  work: Work,
  { fact, isSure = true, isWhole = false }: CompactionOptions,
): Promise<CompactAnswer> {
  const { gateway, tenant, headers, client } = context;
  const announce = (reason: Reason): void =>
    gateway.live.send(tenant, { type: "compacting", conversation: id, reason });
  if (isSure) announce("forced");
  const loaded = await load(gateway, tenant, id);
  await countAhead(gateway, loaded);
  const started = performance.now();
  const made = gateway.requests.begin({
    kind: "compaction",
    api: "page",
    path: isSure ? "compaction" : "compaction-when-due",
    headers,
    client,
  });
  made.action = "untouched";
  made.asks(
    {
      upstream: loaded.choice.upstream,
      asked: { model: loaded.model, transcript: [] },
      recording: { known: { id }, hadRequest: false },
    },
    {},
  );
  let failure: string | undefined;
  const onFailed = (message: string): void => {
    failure = message;
  };
  try {
    const { report } = await onBehalfOf(
      // Without a signal: others may wait for the same summary, and the engine knows when nobody does any more.
      {
        sent: { headers, keyIsOurs: client.keyIsOurs, upstream: loaded.choice.upstream },
        client: made.clientName,
        conversation: () => id,
        cause: () => ({ reason: "forced", request: made.id }),
        noted: (said) => made.happened({ type: "noted", fact: said }),
        onFailed,
        ...(!isSure && { onStarted: announce }),
      },
      () => work(atWork(gateway, loaded, signal)),
    );
    const failed = failedSummary(report, failure);
    const isCompacted = report.outcome === "compacted";
    const paid = report.modelCalls.reduce((sum, { cost }) => sum + cost, 0);
    Object.assign(made, { report, action: report.outcome, ...(paid > 0 && { spend: paid }) });
    const noted =
      fact?.(report) ??
      (isCompacted ? compactedFact(report, performance.now() - started, failed) : undefined);
    if (noted) made.happened({ type: "noted", fact: noted });
    if (made.happenings.length > 0) made.end(200);
    if (isCompacted) await noteCompacted(context, loaded, report, isWhole && !failed);
    const said = await answer(context, loaded, fact ? "edited" : report.outcome, report);
    return { ...said, ...(failed && { failed }) };
  } catch (error) {
    made.end(signal.aborted ? CLIENT_LEFT : describeFailure(error).status, error);
    if (!signal.aborted) throw error;
    return answer(context, loaded, "cancelled", undefined);
  }
}

/** Later requests of the conversation are told of its compaction, and of one by hand which view it made. */
async function noteCompacted(
  { gateway, tenant }: ApiContext,
  { conversation: { id }, stored }: Loaded,
  { checkpoint, budget: { budget } }: Report,
  isByHand: boolean,
): Promise<void> {
  const byHand = isByHand &&
    checkpoint !== undefined && { byHand: { checkpoint, messages: stored.length, budget } };
  await changeMeta(gateway, tenant, id, ({ cleared: _, ...meta }) => ({
    ...meta,
    isCompacted: true,
    ...byHand,
  }));
}

/** What a person did without a request is a record, too. */
function note({ gateway, client, param }: ApiContext, fact: TimelineFact, stands: string | undefined): void {
  gateway.requests.note(client, param("id"), fact, stands);
}

async function answer(
  context: ApiContext,
  loaded: Loaded,
  outcome: CompactAnswer["outcome"],
  report: Report | undefined,
): Promise<CompactAnswer> {
  const { gateway, tenant } = context;
  const { id } = loaded.conversation;
  await announce(context, id);
  const plan = await currentPlan(gateway, loaded);
  return {
    outcome,
    report,
    view: await viewOf(gateway, loaded, plan, planOutcome(plan)),
    pressure: await pressureOf(gateway, tenant, id),
  };
}

async function standingCheckpoint(
  { gateway, tenant }: ApiContext,
  { stored }: Loaded,
): Promise<Checkpoint | undefined> {
  const { checkpoints, undos } = await gateway.records.of(tenant).find(stored.map(({ hash }) => hash));
  const undone = new Set(undos.map(({ checkpoint }) => checkpoint));
  return checkpoints
    .filter(({ id }) => !undone.has(id))
    .sort((a, b) => a.length - b.length || a.at - b.at)
    .at(-1);
}

async function summariesOf({ gateway, tenant }: ApiContext, { stored }: Loaded): Promise<Summary[]> {
  const { summaries } = await gateway.records.of(tenant).find(stored.map(({ hash }) => hash));
  return [...summaries].sort((a, b) => a.covers.from - b.covers.from || a.at - b.at);
}

import { fittingCap, givingWay } from "../../../core/budget.ts";
import { defined } from "../../../core/collections.ts";
import { renderView } from "../../../core/draft.ts";
import { stringifyDeep } from "../../../core/json.ts";
import { schemas } from "../../api/schemas.ts";
import type { ApiView, Past, WhatIfAnswer } from "../../api.ts";
import { measureOf } from "../../compaction/measure.ts";
import { onBehalfOf } from "../../compaction/on-behalf.ts";
import { citationsOf } from "../../conversation/citations.ts";
import { answerCap, choiceOf, countAhead, findConversation, load } from "../../conversation/loaded.ts";
import { eventsIn, pastOf, recordedView, rowsOf } from "../../conversation/timeline.ts";
import {
  atWork,
  currentPlan,
  isJustCompacted,
  planOutcome,
  pressureOf,
  replayedPlan,
  viewOf,
} from "../../conversation/view-of.ts";
import { targetPath, withoutOwnQuery } from "../../upstream/upstream.ts";
import { hostedTools, withHiddenRounds, withTools } from "../../wires/gateway-tools.ts";
import { streamPath } from "../../wires/index.ts";
import { requestBody } from "../answer-chat.ts";
import { type Handlers, invalid, numberQuery } from "../context.ts";
import { progressStream } from "../event-stream.ts";

export const viewHandlers = {
  async view(context) {
    const { gateway, tenant, param } = context;
    const length = numberQuery(context, "length");
    const isReplayed = context.query("replayed") === "true";
    if (length !== undefined && !isReplayed) return recordedView(gateway, tenant, param("id"), length);
    const loaded = await load(gateway, tenant, param("id"), length);
    const plan =
      length === undefined ? await currentPlan(gateway, loaded) : await replayedPlan(gateway, tenant, loaded);
    return viewOf(gateway, loaded, plan, planOutcome(plan));
  },

  async past(context) {
    const { gateway, tenant, signal } = context;
    const { id } = await findConversation(gateway, tenant, context.param("id"));
    return progressStream<Past>(context, async (onProgress) => {
      const loaded = await load(gateway, tenant, id);
      const { messages, choice } = loaded;
      await countAhead(gateway, loaded, {
        signal,
        onProgress: (done) => onProgress(done, messages.length),
      });
      const measure = await measureOf(gateway, choice);
      return pastOf(gateway, tenant, loaded, measure);
    });
  },

  async request({ gateway, tenant, param }) {
    const loaded = await load(gateway, tenant, param("id"));
    const plan = await currentPlan(gateway, loaded);
    const { dialect, transcript, system, wire, choice } = loaded;
    const view = renderView({ dialect, transcript, entries: plan.entries, system });
    const { hosting } = wire;
    const whole = hosting ? { ...view, messages: withHiddenRounds(dialect, hosting, view.messages) } : view;
    const cap = answerCap(loaded);
    const path = streamPath(wire, loaded.model);
    const asked = requestBody(loaded, whole, cap === undefined ? undefined : fittingCap(cap, plan));
    const body = loaded.tools.length > 0 ? withTools(hosting!, asked, hostedTools(loaded.tools)) : asked;
    return {
      upstream: choice.upstream?.name,
      method: "POST",
      path: choice.upstream ? withoutOwnQuery(choice.upstream, targetPath(choice.upstream, path)) : path,
      body,
      bytes: Buffer.byteLength(stringifyDeep(body)),
      tokens: plan.tokens.after + plan.budget.tools,
    };
  },

  async citations({ gateway, tenant, param }) {
    const { messages, lead } = await load(gateway, tenant, param("id"));
    return citationsOf(messages, lead.length);
  },

  pressure: async (context) => pressureOf(context.gateway, context.tenant, context.param("id")),

  async whatIf(context): Promise<WhatIfAnswer> {
    const { gateway, tenant, param } = context;
    const { force, length, ...wanted } = await context.body(schemas.whatIf);
    const loaded = await load(gateway, tenant, param("id"), length);
    await countAhead(gateway, loaded);
    const settings = { ...givingWay(loaded.settings, wanted), ...defined(wanted) };
    const model = settings.model ?? loaded.model;
    const choice = choiceOf(gateway, { tenant, wire: loaded.wire, model, settings });
    // Nobody is asked for a summary: this is only a look.
    const tried = { ...loaded, choice };
    const { compactor, input } = atWork(gateway, {
      ...loaded,
      choice: { ...choice, summarizer: "extractive" },
    });
    const isPlain = length === undefined && Object.keys(defined(wanted)).length === 0;
    const isDone = force && isPlain && (await isJustCompacted(gateway, tenant, param("id")));
    if (force && !isDone) {
      const { report } = await compactor.compact(loaded.transcript, { ...input, adopt: false, waitMs: 0 });
      return {
        ...(await viewOf(gateway, tried, report, report.outcome)),
        due: report.reason,
        rungs: report.rungs,
        calls: [],
      };
    }
    const plan = await compactor.plan(loaded.transcript, input);
    const view: ApiView = await viewOf(gateway, tried, plan, planOutcome(plan));
    return {
      ...view,
      due: plan.due,
      rungs: plan.rungs,
      calls: plan.calls,
      ...(isDone && { isJustCompacted: true }),
    };
  },

  async timeline(context) {
    const { gateway, tenant, param } = context;
    const after = context.query("after") || undefined;
    if (after !== undefined && !/^[0-9a-f-]{36}\.\d{3}$/.test(after))
      throw invalid("after", "it isn't the id of an event", "Leave it out to begin with the first one.");
    const limit = numberQuery(context, "limit") ?? Number.POSITIVE_INFINITY;
    const { id } = await findConversation(gateway, tenant, param("id"));
    const events = eventsIn(await rowsOf(gateway, tenant, id));
    const from = after === undefined ? events : events.filter((event) => event.id > after);
    return { events: from.slice(-limit) };
  },

  async writeText(context) {
    const { gateway, tenant, headers, client } = context;
    const { goal, withModel } = await context.body(schemas.writeText);
    const loaded = await load(gateway, tenant, context.param("id"));
    const { choice, conversation, transcript } = loaded;
    const writer = withModel ? loaded : { ...loaded, choice: { ...choice, summarizer: "extractive" } };
    const { compactor, input } = atWork(gateway, writer, context.signal);
    let failed: string | undefined;
    const onFailed = (message: string): void => {
      failed = message;
    };
    const { text, tokens, report } = await onBehalfOf(
      {
        sent: { headers, keyIsOurs: client.keyIsOurs, upstream: choice.upstream },
        conversation: () => conversation.id,
        onFailed,
        noted: (fact) => gateway.requests.note(client, conversation.id, fact),
      },
      () =>
        goal === undefined
          ? compactor.summarize(transcript, input)
          : compactor.handover(transcript, { ...input, goal }),
    );
    const model = report.modelCalls.findLast(({ result }) => result === "accepted")?.model;
    return { text, tokens, model, ...(failed !== undefined && { failed }) };
  },
} satisfies Partial<Handlers>;

import type { z } from "zod";
import { createCompactor } from "../../../engine/create-compactor.ts";
import { createViewJudge } from "../../../eval/judged/judge-views.ts";
import type { Expense } from "../../../eval/judged/spending.ts";
import { JUDGE_QUESTIONS, type JudgeAnswer, type JudgeCost, type Policy } from "../../api.ts";
import { onBehalfOf } from "../../compaction/on-behalf.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { modelOf } from "../model-of.ts";
import { progressStream } from "../progress-stream.ts";
import { optionsOf, sourceOf } from "../replay-source.ts";
import { schemas } from "../schemas.ts";

/** What a reader of each policy's last view knows, by questions that a model asks and marks. */
export const judgeHandlers = {
  async judgeCost(context) {
    const { judge } = await judgeFor(context, await context.body(schemas.judge));
    return costOf(judge.plan());
  },

  async judge(context) {
    const input = await context.body(schemas.judge);
    const { judge, upstream } = await judgeFor(context, input);
    const { headers, client, signal } = context;
    const { gateway } = context;
    return progressStream<JudgeAnswer>(context, async (onProgress) => {
      const sent = { headers, keyIsOurs: client.keyIsOurs, upstream };
      const told = gateway.requests.begin({ kind: "summary", api: "judge", path: "judge", headers, client });
      told.action = "pass";
      told.asks({ upstream, asked: { model: input.model, transcript: [] }, recording: undefined }, undefined);
      const { scores, spent } = await onBehalfOf({ sent }, () => judge.judge({ signal, onProgress }));
      const cost = costOf(spent);
      told.usage = { input: cost.tokens };
      told.spend = cost.dollars;
      told.end(200);
      return { questions: input.questions ?? JUDGE_QUESTIONS, scores, spent: cost };
    });
  },
} satisfies Partial<Handlers>;

async function judgeFor(context: ApiContext, input: z.output<typeof schemas.judge>) {
  const { model, upstream } = modelOf(context, input.model);
  const source = await sourceOf(context, { conversation: input.conversation });
  const judge = await createViewJudge({
    dialect: source.dialect,
    transcript: source.messages,
    input: { ...source.input, signal: context.signal },
    policies: input.policies.map((policy) => ({
      name: policy.name,
      compactor: createCompactor(optionsOf(source, policy as Policy)),
    })),
    model,
    questions: input.questions ?? JUDGE_QUESTIONS,
  });
  return { judge, upstream };
}

function costOf(expenses: readonly Expense[]): JudgeCost {
  const sum = (of: (one: Expense) => number) => expenses.reduce((total, one) => total + of(one), 0);
  const isPriced = expenses.every(({ dollars }) => dollars !== undefined);
  return {
    requests: sum(({ requests }) => requests),
    tokens: sum(({ input, output }) => input + output),
    ...(isPriced && { dollars: sum(({ dollars = 0 }) => dollars) }),
  };
}

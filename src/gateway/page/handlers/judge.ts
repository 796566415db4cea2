import type { Model } from "../../../core/types.ts";
import { createCompactor } from "../../../engine/create-compactor.ts";
import { type JudgeViewsInput, judgeViews, planViews } from "../../../eval/judged/judge-views.ts";
import type { Expense } from "../../../eval/judged/spending.ts";
import { exactCounter } from "../../../tokens/index.ts";
import type { JudgeAnswer, JudgeCost, JudgeInput, Policy } from "../../api.ts";
import { summarizerByName, summarizerFor, withClientKeys } from "../../compaction/summarizer.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { wireOfDialect } from "../../wires/index.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { progressStream } from "../progress-stream.ts";
import { schemas } from "../schemas.ts";
import { optionsOf, sourceOf } from "./replay.ts";

const DEFAULT_QUESTIONS = 6;

/** What a reader of each strategy's last view knows, by questions that a model asks and marks. */
export const judgeHandlers = {
  async judgeCost(context) {
    const { work } = await inputOf(context, (await context.body(schemas.judge)) as JudgeInput);
    return costOf(planViews(work));
  },

  async judge(context) {
    const input = (await context.body(schemas.judge)) as JudgeInput;
    const { work, upstream } = await inputOf(context, input);
    const { headers, client, signal } = context;
    return progressStream<JudgeAnswer>(context, async (onProgress) => {
      const sent = { headers, keyIsOurs: client.keyIsOurs, upstream };
      const { scores, spent } = await withClientKeys(sent, () => judgeViews({ ...work, signal, onProgress }));
      const cost = costOf(spent);
      context.gateway.totals.add("cost", cost.dollars ?? 0);
      return { questions: work.questions, scores, spent: cost };
    });
  },
} satisfies Partial<Handlers>;

async function inputOf(context: ApiContext, input: JudgeInput): Promise<{ work: JudgeViewsInput } & Asked> {
  const asked = modelOf(context, input.model);
  const source = await sourceOf(context, { conversation: input.conversation });
  const { dialect, messages } = source;
  const read = (wire: unknown) => dialect.read(wire);
  const views = await Promise.all(
    input.policies.map(async (policy) => {
      const compactor = createCompactor(optionsOf(source, policy as Policy));
      const view = await compactor.fit(messages, { ...source.input, signal: context.signal });
      await compactor.close();
      return { name: policy.name, messages: view.messages.map(read) };
    }),
  );
  return {
    ...asked,
    work: {
      transcript: messages.map(read),
      views,
      model: asked.model,
      questions: input.questions ?? DEFAULT_QUESTIONS,
      counter: await exactCounter("o200k_base"),
    },
  };
}

interface Asked {
  readonly model: Model;
  readonly upstream: ApiContext["gateway"]["upstreams"][number];
}

function modelOf({ gateway, tenant }: ApiContext, name: string): Asked {
  const { upstreams, windows } = gateway;
  const upstream = upstreams.find((one) => one.takes(name, undefined));
  const config = upstream && summarizerByName(upstreams, name);
  const model =
    upstream &&
    config &&
    summarizerFor({
      config,
      upstreams,
      upstream,
      wire: wireOfDialect(upstream.dialects[0]),
      model: name,
      window: windows.of(upstream, name, tenant).window,
    });
  if (upstream && model) return { model, upstream };
  throw new RequestFault(400, "invalid", `model: no upstream serves ${JSON.stringify(name)}.`, {
    fix: "Choose one of the models that the server lists, or add one in the settings.",
  });
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

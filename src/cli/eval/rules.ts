import { planSummaries } from "../../eval/judged/plan.ts";
import { filesRead, findSets } from "../../eval/node/find-sets.ts";
import { RULES_DEFAULTS, rulesConversations } from "../../eval/rules/conversation.ts";
import { ownConversations } from "../../eval/rules/own-rules.ts";
import { LANGUAGE_CODES } from "../../eval/rules/phrases.ts";
import { rulesResult } from "../../eval/rules/result.ts";
import { rulesReport } from "../../eval/rules/rules-report.ts";
import { runRules, viewsOf } from "../../eval/rules/run-rules.ts";
import { confirmSpending, spendLines } from "../confirm-spending.ts";
import { oneOf, parseCount, UsageError } from "../flags.ts";
import { namedModel } from "../model.ts";
import { FileError } from "../read-lines.ts";
import type { RunOf } from "../run.ts";
import { armsOf, sizesOf } from "./judged.ts";
import { checkDataFolder, createShow, everyNth, measuredBy } from "./shared.ts";

const DEFAULT_ARMS = ["newest", "precis", "precis+model"];

/** Whether a user's rules survive compaction word for word: in made conversations, or in recorded ones. */
export async function rules(run: RunOf<"eval rules">): Promise<void> {
  const { io, options, progress } = run;
  const { data } = options;
  const measured = await measuredBy(options);
  const summarizer = options.summarizer === undefined ? undefined : namedModel(options.summarizer, run);
  const arms = armsOf(options.arms, summarizer, DEFAULT_ARMS);
  const compactions = options.times?.map((text) => parseCount("times", text)) ?? [
    ...RULES_DEFAULTS.compactions,
  ];
  const conversations = data === undefined ? made(options) : recorded(data, options);
  const sizes =
    sizesOf(options.sizes) ?? RULES_DEFAULTS.sizes.map((tokens) => ({ type: "tokens" as const, tokens }));
  const show = await createShow(run, () => (data === undefined ? [] : filesRead(data)));

  const expenses = planSummaries(
    conversations.flatMap(({ id, messages }) =>
      sizes.flatMap(() =>
        viewsOf(arms, compactions).map(({ made: arm }) => ({ exam: { id, messages, items: [] }, arm })),
      ),
    ),
    { summarizer, counter: measured.counter },
  );
  if (expenses.length > 0) await confirmSpending(run, spendLines(expenses));

  const fates = await runRules({
    conversations,
    arms,
    sizes,
    compactions,
    ...measured,
    ...(summarizer && { summarizer }),
    onProgress(done, total) {
      io.signal.throwIfAborted();
      progress.update("views", done, total);
    },
  }).finally(() => progress.clear());
  const result = rulesResult(fates, {
    counter: measured.counter.id,
    conversations: conversations.length,
    ...(summarizer && { summarizer: summarizer.id }),
  });
  await show(result, rulesReport(result), { ranges: false });
}

type RulesOptions = RunOf<"eval rules">["options"];

function made({ languages, ...options }: RulesOptions) {
  const codes = languages?.map((text) => oneOf("languages", text, LANGUAGE_CODES)) ?? LANGUAGE_CODES;
  const all = rulesConversations({ languages: codes, seeds: 1 });
  return all.filter((_, index) => index % everyNth(options) === 0);
}

function recorded(data: string, { languages, ...options }: RulesOptions) {
  if (languages)
    throw new UsageError("--languages is about made conversations; with --data recorded ones are measured.");
  checkDataFolder(data);
  const found = [...ownConversations(findSets(data), everyNth(options))];
  if (found.length > 0) return found;
  throw new FileError(
    `${data} has no conversation in which a user says what is always, never or only to be done.`,
  );
}

import { planSummaries } from "../../eval/judged/plan.ts";
import { filesRead, findSets } from "../../eval/node/find-sets.ts";
import { RULES_DEFAULTS, rulesConversations } from "../../eval/rules/conversation.ts";
import { ownConversations } from "../../eval/rules/own-rules.ts";
import { LANGUAGE_CODES } from "../../eval/rules/phrases.ts";
import { rulesResult } from "../../eval/rules/result.ts";
import { rulesReport } from "../../eval/rules/rules-report.ts";
import { runRules, viewsOf } from "../../eval/rules/run-rules.ts";
import { confirmSpending, spendLines } from "../confirm-spending.ts";
import type { Io } from "../io.ts";
import { namedModel } from "../model-flags.ts";
import { type Flag, oneOf, type ParsedFlags, UsageError } from "../parse-flags.ts";
import { parseCount } from "../parse-tokens.ts";
import { createProgress } from "../progress.ts";
import { FileError } from "../read-lines.ts";
import { checkDataFolder } from "./data-folder.ts";
import { armsOf, sizesOf } from "./judged.ts";
import { createShow, everyNth, measuredBy } from "./results.ts";

const DEFAULT_ARMS = ["newest", "precis", "precis+model"];

/** Flags of `precis eval rules` alone. */
export const RULES_FLAGS = {
  times: {
    value: "LIST",
    help: `rules: compactions in a row (default: ${RULES_DEFAULTS.compactions.join(",")})`,
  },
  languages: { value: "LIST", help: `rules: of ${LANGUAGE_CODES.join(", ")} (default: all)` },
} as const satisfies Record<string, Flag>;

/** Whether a user's rules survive compaction word for word: in made conversations, or in recorded ones. */
export async function evalRules(flags: ParsedFlags, io: Io): Promise<void> {
  const measured = await measuredBy(flags);
  const named = flags.value("summarizer");
  const summarizer = named === undefined ? undefined : namedModel(named, flags, io);
  const arms = armsOf(flags, summarizer, DEFAULT_ARMS);
  const compactions = listOf(flags, "times")?.map((text) => parseCount("times", text)) ?? [
    ...RULES_DEFAULTS.compactions,
  ];
  const data = flags.value("data");
  const conversations = data === undefined ? made(flags) : recorded(data, flags);
  const sizes = sizesOf(flags) ?? RULES_DEFAULTS.sizes.map((tokens) => ({ type: "tokens" as const, tokens }));
  const show = await createShow(flags, io, () => (data === undefined ? [] : filesRead(data)));

  const expenses = planSummaries(
    conversations.flatMap(({ id, messages }) =>
      sizes.flatMap(() =>
        viewsOf(arms, compactions).map(({ made: arm }) => ({ exam: { id, messages, items: [] }, arm })),
      ),
    ),
    { summarizer, counter: measured.counter },
  );
  if (expenses.length > 0) await confirmSpending(flags, io, spendLines(expenses));

  const progress = createProgress(io, { json: flags.has("json") });
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

const listOf = (flags: ParsedFlags, name: string): string[] | undefined =>
  flags
    .value(name)
    ?.split(",")
    .map((text) => text.trim());

function made(flags: ParsedFlags) {
  const languages = listOf(flags, "languages")?.map((text) => oneOf("languages", text, LANGUAGE_CODES)!);
  const all = rulesConversations({ languages: languages ?? LANGUAGE_CODES, seeds: 1 });
  return all.filter((_, index) => index % everyNth(flags) === 0);
}

function recorded(data: string, flags: ParsedFlags) {
  if (flags.has("languages"))
    throw new UsageError("--languages is about made conversations; with --data recorded ones are measured.");
  checkDataFolder(data);
  const found = [...ownConversations(findSets(data), everyNth(flags))];
  if (found.length > 0) return found;
  throw new FileError(
    `${data} has no conversation in which a user says what is always, never or only to be done.`,
  );
}

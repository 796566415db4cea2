import { planSummaries } from "../../eval/judged/plan.ts";
import { filesRead, findSets } from "../../eval/node/find-sets.ts";
import { RULES_DEFAULTS, rulesConversations } from "../../eval/rules/conversation.ts";
import { ownConversations } from "../../eval/rules/own-rules.ts";
import { LANGUAGE_CODES } from "../../eval/rules/phrases.ts";
import { rulesResult } from "../../eval/rules/result.ts";
import { rulesHtml, rulesTable } from "../../eval/rules/rules-words.ts";
import { runRules, viewsOf } from "../../eval/rules/run-rules.ts";
import { PROFILE_NAMES, profiles } from "../../profiles/index.ts";
import { charsCounter, exactCounter } from "../../tokens/index.ts";
import { confirmSpending, spendLines } from "../confirm-spending.ts";
import type { Io } from "../io.ts";
import { namedModel } from "../model-flags.ts";
import { type Flag, oneOf, type ParsedFlags, UsageError } from "../parse-flags.ts";
import { parseCount } from "../parse-tokens.ts";
import { createProgress } from "../progress.ts";
import { FileError } from "../read-lines.ts";
import { refuseInput, writeOutput } from "../write-output.ts";
import { checkDataFolder } from "./data-folder.ts";
import { armsOf, sizesOf } from "./judged.ts";

/** In a sample: every n-th conversation. */
const SAMPLE_EVERY = 6;
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
  const counterName = oneOf("counter", flags.value("counter"), ["o200k", "chars"]) ?? "o200k";
  const counter = counterName === "chars" ? charsCounter() : await exactCounter("o200k_base");
  const profileName = oneOf("profile", flags.value("profile"), PROFILE_NAMES);
  const named = flags.value("summarizer");
  const summarizer = named === undefined ? undefined : namedModel(named, flags, io);
  const arms = armsOf(flags, summarizer, DEFAULT_ARMS);
  const compactions = listOf(flags, "times")?.map((text) => parseCount("times", text)) ?? [
    ...RULES_DEFAULTS.compactions,
  ];
  const data = flags.value("data");
  const conversations = data === undefined ? made(flags) : recorded(data, flags);
  const sizes = sizesOf(flags) ?? RULES_DEFAULTS.sizes.map((tokens) => ({ type: "tokens" as const, tokens }));
  const html = flags.value("html");
  const inputs = html === undefined || data === undefined ? [] : filesRead(data);
  // Before the measuring, which takes a while, and again when it is written.
  if (html !== undefined) await refuseInput("html", html, inputs);

  const expenses = planSummaries(
    conversations.flatMap(({ id, messages }) =>
      sizes.flatMap(() =>
        viewsOf(arms, compactions).map(({ made: arm }) => ({ exam: { id, messages, items: [] }, arm })),
      ),
    ),
    { summarizer, counter },
  );
  if (expenses.length > 0) await confirmSpending(flags, io, spendLines(expenses));

  const progress = createProgress(io, { json: flags.has("json") });
  const fates = await runRules({
    conversations,
    arms,
    sizes,
    compactions,
    counter,
    ...(summarizer && { summarizer }),
    ...(profileName && { profile: profiles[profileName] }),
    onProgress(done, total) {
      io.signal.throwIfAborted();
      progress.update("views", done, total);
    },
  }).finally(() => progress.clear());
  const result = rulesResult(fates, {
    counter: counter.id,
    conversations: conversations.length,
    ...(summarizer && { summarizer: summarizer.id }),
  });
  if (html !== undefined) await writeOutput("html", html, inputs, rulesHtml(result));
  io.stdout.write(flags.has("json") ? `${JSON.stringify(result, null, 2)}\n` : `${rulesTable(result)}\n`);
}

const listOf = (flags: ParsedFlags, name: string): string[] | undefined =>
  flags
    .value(name)
    ?.split(",")
    .map((text) => text.trim());

function made(flags: ParsedFlags) {
  const languages = listOf(flags, "languages")?.map((text) => oneOf("languages", text, LANGUAGE_CODES)!);
  const all = rulesConversations({ languages: languages ?? LANGUAGE_CODES, seeds: 1 });
  return flags.has("sample") ? all.filter((_, index) => index % SAMPLE_EVERY === 0) : all;
}

function recorded(data: string, flags: ParsedFlags) {
  if (flags.has("languages"))
    throw new UsageError("--languages is about made conversations; with --data recorded ones are measured.");
  checkDataFolder(data);
  const found = [...ownConversations(findSets(data), flags.has("sample") ? SAMPLE_EVERY : 1)];
  if (found.length > 0) return found;
  throw new FileError(
    `${data} has no conversation in which a user says what is always, never or only to be done.`,
  );
}

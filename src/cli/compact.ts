import { defined } from "../core/defined.ts";
import type { FitResult } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import { countedAs, ENGINE_FLAGS, engineChoice, knownModel } from "./engine-flags.ts";
import { formatCount, formatShare } from "./format.ts";
import type { Io } from "./io.ts";
import { loadLog } from "./load-log.ts";
import { type CommandLine, oneFile, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parseBudget, parseTokens } from "./parse-tokens.ts";
import { createProgress } from "./progress.ts";
import { checkReadable } from "./read-lines.ts";
import { writeOutput } from "./write-output.ts";

export const compactLine: CommandLine = {
  name: "compact",
  summary: "Makes a conversation fit a budget and prints it, with a report of what became of each message.",
  usage: "precis compact FILE --budget N [flags]",
  flags: {
    budget: { value: "N", help: "tokens to fit into (8000, 8k), or a share of the transcript (10%)" },
    window: { value: "N", help: "the model's context size; what the answer needs is kept free" },
    model: { value: "M", help: "the model: its window and its way of counting" },
    focus: { value: "TEXT", help: "what the summary should care about most" },
    ...ENGINE_FLAGS,
    out: { value: "FILE", help: "write the result there instead of to stdout" },
    json: { help: "nothing but the result, also on a terminal" },
  },
  notes: [
    "Prints JSON: messages (and system, where the format keeps it apart) in the wire format of FILE, and report.",
  ],
  examples: [
    "precis compact session.jsonl --budget 8k > view.json",
    "precis compact chats.json --pick 3 --budget 25% --focus 'the open invoice'",
    "cat request.json | precis compact - --model gpt-4o --strategy truncate-oldest",
  ],
};

export async function compactCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const file = oneFile(compactLine, flags);
  const budget = flags.parsed("budget", parseBudget);
  const window = flags.parsed("window", parseTokens);
  const modelText = flags.value("model");
  if (budget === undefined && window === undefined && modelText === undefined) {
    // Whoever mistyped the file's name hears of that first.
    await checkReadable(file);
    throw new UsageError("How small? Give --budget (8k, or 10% of the transcript), --window or --model.");
  }
  const asked = modelText === undefined || window !== undefined ? modelText : knownModel("model", modelText);
  const choice = engineChoice(flags);
  const progress = createProgress(io, { json: flags.has("json") });
  const { log, dialect } = await loadLog(file, io, { ...choice, progress });

  const compactor = createCompactor({
    dialect,
    profile: choice.profile,
    ...defined({ strategy: choice.strategy }),
    ...(asked !== undefined && window === undefined
      ? { window: { model: asked } }
      : countedAs(asked ?? log.model, window)),
  });
  progress.update("compacting", 0, 0);
  io.letGo?.();
  const result = await compactor.compact(log.messages, {
    ...defined({ system: log.system, tools: log.tools, focus: flags.value("focus") }),
    ...(budget && { budget: "tokens" in budget ? budget.tokens : budget.share }),
    signal: io.signal,
  });
  await compactor.close();
  progress.clear();

  const warnings = [...log.warnings, ...result.report.warnings.map((warning) => warning.message)];
  for (const warning of warnings) io.stderr.write(`precis: ${warning}\n`);
  const indent = flags.has("json") || io.stdout.isTTY !== true ? 0 : 2;
  const text = `${JSON.stringify(outputOf(result), undefined, indent)}\n`;
  const out = flags.value("out");
  if (out === undefined) io.stdout.write(text);
  else await writeOutput("out", out, file, text);
  const isForPeople = !flags.has("json") && (io.stderr.isTTY === true || out !== undefined);
  if (isForPeople) io.stderr.write(`${summaryLine(result)}\n`);
}

/** The plain JSON of a result: what a host would send, and the receipt. */
function outputOf(result: FitResult<unknown>): unknown {
  return {
    ...(result.system === undefined ? {} : { system: result.system }),
    messages: result.messages,
    report: result.report,
  };
}

function summaryLine({ report, messages }: FitResult<unknown>): string {
  const { tokens, counts, budget } = report;
  const fit = `${formatCount(tokens.after)} tokens in ${formatCount(messages.length)} messages`;
  if (report.outcome === "nothing-to-gain")
    return `Nothing to gain: it stays at ${fit} (budget ${formatCount(budget.budget)}).`;
  const share = tokens.transcript === 0 ? "" : ` (${formatShare(tokens.after / tokens.transcript)} of it)`;
  return [
    `${formatCount(tokens.transcript)} tokens became ${fit}${share}; budget ${formatCount(budget.budget)}.`,
    `${formatCount(counts.kept)} kept, ${formatCount(counts.edited)} shortened, ${formatCount(counts.covered)} summarised, ${formatCount(counts.dropped)} left out.`,
  ].join("\n");
}

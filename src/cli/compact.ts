import { defined } from "../core/collections.ts";
import type { FitResult, Report } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import { profiles } from "../profiles/index.ts";
import { UsageError } from "./flags.ts";
import { formatCount, formatShare } from "./format.ts";
import { countedAs, knownModel, openLog } from "./open-log.ts";
import { checkReadable } from "./read-lines.ts";
import type { RunOf } from "./run.ts";
import { writeOutput } from "./write-output.ts";

export async function compact(run: RunOf<"compact">): Promise<void> {
  const { io, options } = run;
  const { budget, window, model, strategy, focus, out, json } = options;
  const file = run.args[0]!;
  // Whoever mistyped the file's name hears of that first.
  await checkReadable(file);
  if (budget === undefined && window === undefined && model === undefined)
    throw new UsageError("compact needs --budget (8k, or 10% of the transcript), --window or --model.");
  if (model !== undefined && window === undefined)
    knownModel("model", model, "Give its size with --window instead.");
  const { log, dialect } = await openLog(file, run);

  const compactor = createCompactor({
    dialect,
    profile: profiles[options.profile ?? "agent"],
    ...defined({ strategy }),
    ...(model !== undefined && window === undefined
      ? { window: { model } }
      : countedAs(model ?? log.model, window)),
  });
  run.progress.update("compacting", 0, 0);
  io.letGo?.();
  const result = await compactor.compact(log.messages, {
    ...defined({ system: log.system, tools: log.tools, focus }),
    ...(budget && { budget: "tokens" in budget ? budget.tokens : budget.share }),
    signal: io.signal,
  });
  await compactor.close();
  run.progress.clear();

  for (const { message } of result.report.warnings) run.note(message);
  // The plain JSON of a result: what a host would send, and the receipt.
  const { system, messages } = result;
  const report = window === undefined && model === undefined ? withoutWindow(result.report) : result.report;
  const indent = json || io.stdout.isTTY !== true ? 0 : 2;
  const text = `${JSON.stringify({ ...defined({ system }), messages, report }, undefined, indent)}\n`;
  if (out === undefined) io.stdout.write(text);
  else await writeOutput("out", out, file, text);
  if (!json && (io.stderr.isTTY === true || out !== undefined)) io.stderr.write(`${summaryLine(result)}\n`);
}

/** Where only the size of the view was given, no window stands behind it: what follows from one says nothing. */
function withoutWindow({ answer: _, ...report }: Report): object {
  const { window: _window, reserve: _reserve, safety: _safety, ...budget } = report.budget;
  return { ...report, budget };
}

function summaryLine({ report, messages }: FitResult<unknown>): string {
  const { tokens, counts, budget } = report;
  const fit = `${formatCount(tokens.after)} tokens in ${formatCount(messages.length)} messages`;
  if (report.outcome === "nothing-to-gain")
    return `Nothing to gain: still ${fit} (budget ${formatCount(budget.budget)}).`;
  const share = tokens.transcript === 0 ? "" : ` (${formatShare(tokens.after / tokens.transcript)} of it)`;
  return [
    `${formatCount(tokens.transcript)} tokens became ${fit}${share}; budget ${formatCount(budget.budget)}.`,
    `${formatCount(counts.kept)} kept, ${formatCount(counts.edited)} shortened, ${formatCount(counts.covered)} summarised, ${formatCount(counts.dropped)} left out.`,
  ].join("\n");
}

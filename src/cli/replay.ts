import type { Prices, StrategyName } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import { modelCounting, windowOptions } from "../eval/replay/model-counting.ts";
import { type Replay, simulate } from "../eval/replay/simulate.ts";
import { type ReplayTotals, totalsOf } from "../eval/replay/totals.ts";
import { systemTokens } from "../gateway/conversation/entry-tokens.ts";
import { modelInfo } from "../tokens/index.ts";
import { ENGINE_FLAGS, engineChoice, knownModel } from "./engine-flags.ts";
import type { Io } from "./io.ts";
import { type LoadedLog, loadLog } from "./load-log.ts";
import { MODEL_FLAGS } from "./model-flags.ts";
import { lookOf } from "./paint.ts";
import { type CommandLine, oneFile, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parseTokens } from "./parse-tokens.ts";
import { createProgress } from "./progress.ts";
import { COMPARED, type Compared, comparedLines, comparedOf } from "./replay/compare.ts";
import { replayPage } from "./replay/html.ts";
import { JUDGE_FLAGS, judgedShares } from "./replay/judge.ts";
import { suggestProfile } from "./replay/suggest-profile.ts";
import { type ReplayFacts, textReport } from "./replay/text-report.ts";
import { writeOutput } from "./write-output.ts";

export const replayLine: CommandLine = {
  name: "replay",
  summary: "Walks a recorded session request by request and shows what precis would have sent.",
  usage: "precis replay FILE --window N [flags]",
  flags: {
    window: {
      value: "N",
      help: "the model's context size (32000, 32k; default: that of the session's model)",
    },
    prices: {
      value: "MODEL",
      help: "show the cost at this model's prices, with cache reads and writes, under each strategy",
    },
    html: { value: "OUT", help: "write the replay as a page, too" },
    ...ENGINE_FLAGS,
    ...JUDGE_FLAGS,
    ...MODEL_FLAGS,
    json: { help: "print the replay as JSON" },
  },
  notes: [
    "Before every answer of the model the view is made anew, as a host would. No model is called, so a summary is made of exact lines. Only --judge asks one, and says first what that costs.",
  ],
  examples: [
    "precis replay ~/.claude/projects/my-project/session.jsonl --window 64k",
    "precis replay session.jsonl --window 32k --prices claude-sonnet-5 --html replay.html",
    "precis replay session.jsonl --window 32k --strategy truncate-oldest --json > replay.json",
    "precis replay session.jsonl --window 32k --prices gpt-5-mini --judge gpt-5-mini",
  ],
};

export async function replayCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const file = oneFile(replayLine, flags);
  const given = flags.parsed("window", parseTokens);
  const { prices, pricesOf } = askedPrices(flags);
  const choice = engineChoice(flags);
  const progress = createProgress(io, { json: flags.has("json") });
  const { log, dialect } = await loadLog(file, io, { ...choice, progress });
  const { model, window: own, measure } = await modelCounting(log.model);
  const window = given ?? own;
  if (window === undefined) throw whichWindow(log);

  const input = { system: log.system, tools: log.tools };
  const compactorOf = (strategy: StrategyName) =>
    createCompactor({ dialect, profile: choice.profile, strategy, ...windowOptions(model, window) });
  const run = async (strategy: StrategyName): Promise<Replay> => {
    const compactor = compactorOf(strategy);
    const replay = await simulate({
      compactor,
      dialect,
      measure,
      messages: log.messages,
      ...(log.times && { times: log.times }),
      input,
      signal: io.signal,
      onProgress: (done, total) =>
        progress.update(`${strategy}: replaying request ${done + 1} of ${total}`, done, total),
    });
    await compactor.close();
    return replay;
  };
  const strategy = choice.strategy ?? choice.profile.strategy ?? "summarize-oldest";
  const replay = await run(strategy);
  const [first] = replay.impossible;
  if (first !== undefined && replay.requests.length === 0) throw first.error;
  const runs: { strategy: StrategyName; replay: Replay }[] = [];
  for (const other of prices === undefined ? [] : COMPARED)
    runs.push({ strategy: other, replay: other === strategy ? replay : await run(other) });
  progress.clear();
  const judging = { flags, io, progress, dialect, transcript: log.messages, input, strategies: COMPARED };
  const knows = await judgedShares({ ...judging, compactorOf });

  const suggested = suggestProfile(log.messages.map((message) => dialect.read(message)));
  const facts: ReplayFacts = {
    file: file === "-" && log.title !== undefined ? log.title : (file.split("/").at(-1) ?? file),
    source: log.source === "messages" ? dialect.id : log.source,
    dialect: dialect.id,
    messages: log.messages.length,
    tokens: log.messages.reduce<number>(
      (sum, message) => sum + measure.message(dialect.read(message)),
      systemTokens({ dialect, system: log.system }, measure),
    ),
    window,
    strategy,
    profile: choice.profile.name,
    ...(pricesOf !== undefined && { pricesOf }),
    ...(suggested !== choice.profile.name && !flags.has("profile") && { suggested }),
    warnings: [...log.warnings, ...impossibleNote(replay)],
  };
  const totals = totalsOf(replay, prices);
  await tell({ facts, replay, totals, compared: comparedOf(runs, prices, knows) }, { file, flags, io });
}

/** The model that `--prices` names, and what it costs. */
function askedPrices(flags: ParsedFlags): { readonly prices?: Prices; readonly pricesOf?: string } {
  const pricesOf = flags.value("prices");
  if (pricesOf === undefined) {
    if (!flags.has("judge")) return {};
    throw new UsageError("--judge goes with --prices: it is asked about every strategy that is compared.");
  }
  const { prices } = modelInfo(knownModel("prices", pricesOf));
  if (prices === undefined)
    throw new UsageError(`--prices ${pricesOf}: the registry has no prices for this model.`);
  return { prices, pricesOf };
}

/** Everything that a replay found out. */
interface Told {
  readonly facts: ReplayFacts;
  readonly replay: Replay;
  readonly totals: ReplayTotals;
  readonly compared: readonly Compared[];
}

/** Prints a replay, and writes its page if one is asked for. */
async function tell(
  { facts, replay, totals, compared }: Told,
  { file, flags, io }: { readonly file: string; readonly flags: ParsedFlags; readonly io: Io },
): Promise<void> {
  for (const warning of facts.warnings) io.stderr.write(`precis: ${warning}\n`);
  const html = flags.value("html");
  if (html !== undefined) await writeOutput("html", html, file, replayPage(facts, replay, totals, compared));
  if (flags.has("json")) {
    const { budget, compactions, requests } = replay;
    const strategies = compared.length === 0 ? {} : { strategies: compared };
    io.stdout.write(
      `${JSON.stringify({ ...facts, budget, totals, ...strategies, compactions, requests })}\n`,
    );
  } else {
    const look = lookOf(io.stdout, io.env);
    io.stdout.write(textReport(facts, replay, totals, look));
    const table = comparedLines(compared, facts.strategy, look);
    if (table.length > 0) io.stdout.write(`${table.join("\n")}\n`);
  }
  if (html !== undefined) io.stderr.write(`precis: wrote ${html}\n`);
}

function impossibleNote({ impossible }: Replay): string[] {
  const first = impossible[0];
  if (first === undefined) return [];
  const count = impossible.length === 1 ? "one request doesn't" : `${impossible.length} requests don't`;
  const reason = first.error.message.replace(/^precis: /, "");
  return [`${count} fit at all and can't be shown; after message ${first.at}: ${reason}`];
}

function whichWindow({ model }: LoadedLog["log"]): UsageError {
  const why =
    model === undefined ? "the file names no model" : `the file's model, ${model}, isn't in the registry`;
  return new UsageError(`Which window? Give --window (32k); ${why}.`);
}

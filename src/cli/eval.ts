import { baselines } from "../eval/contestants/baselines.ts";
import { precis } from "../eval/contestants/precis.ts";
import type { EvalSet } from "../eval/eval-set.ts";
import { filesRead, findSets } from "../eval/node/find-sets.ts";
import { retentionReport } from "../eval/retention-report.ts";
import { runRetention } from "../eval/run-retention.ts";
import { PROFILE_NAMES } from "../profiles/index.ts";
import { COST_FLAGS, evalCost } from "./eval/cost.ts";
import { checkDataFolder, DATA_NEEDED } from "./eval/data-folder.ts";
import { EXAM_FLAGS, evalExam } from "./eval/exam.ts";
import { evalJudged, JUDGED_FLAGS } from "./eval/judged.ts";
import { createShow, everyNth, measuredBy, SAMPLE_EVERY } from "./eval/results.ts";
import { evalRules, RULES_FLAGS } from "./eval/rules.ts";
import type { Io } from "./io.ts";
import { MODEL_FLAGS } from "./model-flags.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { createProgress } from "./progress.ts";
import { FileError } from "./read-lines.ts";

/** Where data is looked for: a folder of this name where the command runs. */
const DEFAULT_DATA = "data";
const DEFAULT_BUDGETS = "5,10,25";
/** Which flags each measurement takes, beside --data and --json, which all take. */
const MODEL_FLAG_NAMES = [...Object.keys(MODEL_FLAGS), "window", "questions", "yes"];
const FLAGS_OF = {
  retention: ["sample", "sets", "budgets", "counter", "profile", "intervals", "html"],
  cost: ["sample", "counter", "chains", "html", ...Object.keys(COST_FLAGS)],
  rules: [
    ...["sample", "counter", "profile", "html", "arms", "sizes", "summarizer", "yes", "window"],
    ...Object.keys(MODEL_FLAGS),
    ...Object.keys(RULES_FLAGS),
  ],
  judged: ["counter", "profile", "html", ...MODEL_FLAG_NAMES, ...Object.keys(JUDGED_FLAGS)],
  exam: [...MODEL_FLAG_NAMES, ...Object.keys(EXAM_FLAGS)],
} as const satisfies Record<string, readonly string[]>;
type Measurement = keyof typeof FLAGS_OF;
const MEASUREMENTS = Object.keys(FLAGS_OF) as Measurement[];

export const evalLine: CommandLine = {
  name: "eval",
  summary: "Measures what compacted conversations still know and what they cost, beside the alternatives.",
  usage: "precis eval retention|cost|rules|judged|exam [flags]",
  flags: {
    data: {
      value: "DIR",
      help: `folder with recorded conversations (default: the folder ${DEFAULT_DATA})`,
    },
    sample: { help: `every ${SAMPLE_EVERY}th session only: an answer in less than a minute` },
    sets: { value: "TEXT", help: "only sets whose name contains this text" },
    budgets: { value: "LIST", help: `sizes of the views in percent (default: ${DEFAULT_BUDGETS})` },
    counter: {
      value: "C",
      help: "how tokens are counted: o200k (exact; default of retention) or chars (characters ÷ 4, in cost ÷ 3.5; default of cost)",
    },
    profile: { value: "P", help: `measure precis with a profile: ${PROFILE_NAMES.join(", ")}` },
    chains: {
      value: "WHEN",
      help: "cost: sessions joined to days of work, too: no, yes (the default) or only",
    },
    intervals: { help: "retention: print 95 % intervals over sessions beside each figure" },
    html: { value: "OUT", help: "write the result as a page, too" },
    ...COST_FLAGS,
    ...RULES_FLAGS,
    ...JUDGED_FLAGS,
    ...EXAM_FLAGS,
    ...MODEL_FLAGS,
    window: { value: "N", help: "rules, judged, exam: the context size of models that precis doesn't know" },
    json: { help: "print the result as JSON, with intervals and paired differences" },
  },
  notes: [
    "retention and cost call no model, and nothing leaves the machine. No data comes with precis.",
    DATA_NEEDED.replace(/^It/, "The folder of --data"),
    "rules looks whether a user's rules survive word for word, in made conversations of nine languages, or with --data in your own. It calls a model only with --summarizer.",
    "judged holds exams: readers answer from each contestant's context, a judge marks the answers without names. exam writes questions about a conversation of yours. Both ask models, say first what that costs, and ask whether to go on.",
  ],
  examples: [
    "precis eval retention --data ~/.claude/projects --sample",
    "precis eval retention --sets agent --intervals",
    "precis eval retention --json --html retention.html > retention.json",
    "precis eval cost --windows 64k,128k --ttl never",
    "precis eval rules --languages de,ja --sizes 8k",
    "precis eval exam session.jsonl --writer gpt-5-mini --out exams/session.json",
    "precis eval judged --exams exams --reader gpt-5-mini --judge mailbox:judge",
  ],
};

export async function evalCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const what = MEASUREMENTS.find((name) => name === flags.files[0]);
  const files = flags.files.slice(1);
  if (what === undefined || files.length !== (what === "exam" ? 1 : 0))
    throw new UsageError(
      [
        ...(flags.files.length === 0
          ? ["Say what is to be measured."]
          : [`It can't measure "${flags.files.join(" ")}".`]),
        `precis eval measures ${MEASUREMENTS.join(", ")}: precis eval retention, or precis eval exam FILE.`,
      ].join(" "),
    );
  refuseOtherFlags(what, flags);
  const data = flags.value("data") ?? DEFAULT_DATA;
  if (what === "cost") return evalCost(flags, io, data);
  if (what === "rules") return evalRules(flags, io);
  if (what === "judged") return evalJudged(flags, io, data);
  if (what === "exam") return evalExam(flags, io, files[0] ?? "");
  return evalRetention(flags, io, data);
}

/** A flag of another measurement would do nothing here. */
function refuseOtherFlags(what: Measurement, flags: ParsedFlags): void {
  const own: readonly string[] = [...FLAGS_OF[what], "data", "json"];
  const wrong = Object.keys(evalLine.flags).find((name) => flags.has(name) && !own.includes(name));
  if (wrong !== undefined) throw new UsageError(`--${wrong} doesn't go with precis eval ${what}.`);
}

async function evalRetention(flags: ParsedFlags, io: Io, data: string): Promise<void> {
  const shares = parseShares(flags.value("budgets") ?? DEFAULT_BUDGETS);
  const sets = setsFor(data, flags.value("sets"));
  const show = await createShow(flags, io, () => filesRead(data));
  const measured = await measuredBy(flags);
  const progress = createProgress(io, { json: flags.has("json") });
  const result = await runRetention({
    sets,
    contestants: [precis(measured), ...baselines],
    counter: measured.counter,
    shares,
    everyNth: everyNth(flags),
    onProgress: (set, cases) => {
      io.signal.throwIfAborted();
      progress.update(`${set}: ${cases}`, 0, 0);
    },
  });
  progress.clear();
  await show(result, retentionReport(result), { ranges: flags.has("intervals") });
}

function setsFor(data: string, name: string | undefined): EvalSet[] {
  checkDataFolder(data);
  const all = findSets(data);
  if (all.length === 0)
    throw new FileError(`the folder ${data} has no data in a known format. ${DATA_NEEDED}`);
  const chosen = name === undefined ? all : all.filter((set) => set.id.includes(name));
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    `--sets ${name}: no set has this in its name. There are ${all.map((set) => set.id).join(", ")}.`,
  );
}

/** `5,10,25` as shares. */
function parseShares(text: string): number[] {
  return text.split(",").map((item) => {
    const percent = Number(item.trim().replace(/%$/, ""));
    if (item.trim() === "" || !(percent > 0 && percent <= 100)) {
      throw new UsageError(
        `--budgets ${text}: "${item}" is not a percentage above 0 and up to 100. Write it like 5,10,25.`,
      );
    }
    return percent / 100;
  });
}

import { baselines } from "../eval/contestants/baselines.ts";
import { precis } from "../eval/contestants/precis.ts";
import type { EvalSet } from "../eval/eval-set.ts";
import { filesRead, findSets } from "../eval/node/find-sets.ts";
import { retentionReport } from "../eval/retention-report.ts";
import { runRetention } from "../eval/run-retention.ts";
import {
  checkDataFolder,
  createShow,
  DATA_NEEDED,
  DEFAULT_DATA,
  everyNth,
  measuredBy,
} from "./eval/shared.ts";
import { UsageError } from "./flags.ts";
import { FileError } from "./read-lines.ts";
import type { RunOf } from "./run.ts";

export { cost } from "./eval/cost.ts";
export { exam } from "./eval/exam.ts";
export { judged } from "./eval/judged.ts";
export { rules } from "./eval/rules.ts";

const DEFAULT_BUDGETS = ["5", "10", "25"];
export async function retention(run: RunOf<"eval retention">): Promise<void> {
  const { io, options, progress } = run;
  const { data = DEFAULT_DATA } = options;
  const shares = (options.budgets ?? DEFAULT_BUDGETS).map(shareIn);
  const sets = setsFor(data, options.sets);
  const show = await createShow(run, () => filesRead(data));
  const measured = await measuredBy(options);
  const result = await runRetention({
    sets,
    contestants: [precis(measured), ...baselines],
    counter: measured.counter,
    shares,
    everyNth: everyNth(options),
    onProgress: (set, cases) => {
      io.signal.throwIfAborted();
      progress.update(`${set}: ${cases}`, 0, 0);
    },
  });
  progress.clear();
  await show(result, retentionReport(result), { ranges: options.intervals === true });
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

/** `10` or `10%` as a share. */
function shareIn(item: string): number {
  const percent = Number(item.replace(/%$/, ""));
  if (item !== "" && percent > 0 && percent <= 100) return percent / 100;
  throw new UsageError(
    `--budgets: "${item}" is not a percentage above 0 and up to 100. Write it like 5,10,25.`,
  );
}

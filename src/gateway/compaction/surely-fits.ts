import { MOST_RESERVED } from "../../core/answers.ts";
import type { CompactorChoice, Settle } from "./compactor-choice.ts";
import type { Windows } from "./windows.ts";

/** Share of the window that is kept free for counting errors, at its largest. */
const SAFETY = 0.05;
/** Below this pressure nothing is ever due, cold cache or not. */
const NOTHING_DUE_BELOW = 0.39;
/** What calibration may find that the registry's factor doesn't say yet. */
const CALIBRATION_SLACK = 1.2;

/** Limits that are remembered. */
const MAX_LIMITS = 1_000;
/** What surely fits of a model, as it was last asked for. */
interface Limit
  extends Pick<CompactorChoice, "tenant" | "upstream" | "cap" | "profile" | "budget" | "window"> {
  /** Counts the changes of what is known about windows. */
  readonly version: number;
  readonly tokens: number;
}

function isFor(limit: Limit, choice: CompactorChoice, version: number): boolean {
  return (
    limit.tenant === choice.tenant &&
    limit.upstream === choice.upstream &&
    limit.cap === choice.cap &&
    limit.profile === choice.profile &&
    limit.budget === choice.budget &&
    limit.window === choice.window &&
    limit.version === version
  );
}

/** Tells how many tokens a request may surely have without anything being due; 0 where only the engine can tell. */
export function createSurelyFits(
  windows: Pick<Windows, "version">,
  settle: Settle,
): (choice: CompactorChoice) => number {
  const limits = new Map<string, Limit>();
  return (choice) => {
    if (choice.tuning && Object.keys(choice.tuning).length > 0) return sureLimit(choice, settle(choice));
    const known = limits.get(choice.model);
    if (known && isFor(known, choice, windows.version)) return known.tokens;
    const { tenant, upstream, cap, profile, budget, window } = choice;
    const tokens = sureLimit(choice, settle(choice));
    if (limits.size >= MAX_LIMITS) limits.clear();
    const { version } = windows;
    limits.set(choice.model, { tenant, upstream, cap, profile, budget, window, version, tokens });
    return tokens;
  };
}

function sureLimit(
  { cap }: Pick<CompactorChoice, "cap">,
  { info, window, profile, budget, tuning }: ReturnType<Settle>,
): number {
  if (profile.triggers || tuning.triggers || profile.name === "stream") return 0;
  const host = tuning.reserve ?? profile.reserve;
  const kept = host === undefined ? MOST_RESERVED * window : host <= 1 ? host * window : host;
  const free = Math.min(budget ?? window, window - kept - window * SAFETY);
  const slack = Math.max(1, info.factor * CALIBRATION_SLACK);
  // Beside an answer that may fill the window nothing fits: its cap has to be lowered, whatever the request's size.
  const besideAnswer = window - (cap ?? 0);
  const startAt = tuning.startAt ?? profile.startAt ?? NOTHING_DUE_BELOW;
  const due = Math.min(free * NOTHING_DUE_BELOW, startAt <= 1 ? free * startAt : startAt);
  return Math.max(0, Math.floor(Math.min(due, besideAnswer) / slack));
}

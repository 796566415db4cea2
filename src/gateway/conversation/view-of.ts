import { BudgetImpossibleError } from "../../core/errors.ts";
import type { Entry, FitInput, Measure, Outcome, Plan, Report, Role, Run } from "../../core/types.ts";
import type { KeepReason } from "../../core/words.ts";
import type { ApiPressure, ApiView, Fate, ViewEntry } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { measureOf } from "../compaction/measure.ts";
import { hostedAlone } from "../wires/hosted-tools.ts";
import { countAheadOfPlan } from "./count-ahead.ts";
import { entryTokens, systemTokens } from "./entry-tokens.ts";
import { answerCap, type Loaded, type LoadParts, load } from "./loaded.ts";

/** What `fit` gets for a conversation of the page. */
export function fitInput(loaded: Loaded): FitInput<unknown> {
  const { wire, system, pins } = loaded;
  const maxAnswer = answerCap(loaded);
  const tools = hostedAlone(wire, loaded.tools);
  return {
    system,
    pins,
    ...(tools !== undefined && { tools }),
    ...(maxAnswer !== undefined && { maxAnswer }),
  };
}

/** What the model would be sent now. Nothing is stored or asked for. */
export async function currentPlan(
  parts: Pick<CompactionParts, "compactors" | "windows" | "now">,
  loaded: Loaded,
): Promise<Plan> {
  await countAheadOfPlan(parts, loaded);
  return parts.compactors
    .of(loaded.choice)
    .plan(loaded.transcript, { ...fitInput(loaded), now: parts.now() });
}

/** How full a conversation is, as the meter shows it. */
export async function pressureOf(
  parts: LoadParts & Pick<CompactionParts, "compactors" | "windows" | "now">,
  tenant: string,
  id: string,
): Promise<ApiPressure> {
  const loaded = await load(parts, tenant, id);
  await countAheadOfPlan(parts, loaded);
  const report = await parts.compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  return {
    ...report,
    model: loaded.model === "" ? undefined : loaded.model,
    window: report.budget.window,
    ...(report.pressure >= report.startsAt && (await nextOf(parts, loaded))),
  };
}

/** What comes of a compaction that should start now. */
async function nextOf(
  parts: Pick<CompactionParts, "compactors" | "windows" | "now">,
  loaded: Loaded,
): Promise<Pick<ApiPressure, "next" | "isAllPinned">> {
  try {
    const plan = await currentPlan(parts, loaded);
    if (plan.calls.length > 0 || isCompacting(plan)) return { next: "compaction" };
    const isAllPinned = plan.warnings.some(({ code }) => code === "all-pinned");
    return {
      next: plan.due === undefined ? "held" : "nothing-to-gain",
      ...(isAllPinned && { isAllPinned }),
    };
  } catch (error) {
    if (error instanceof BudgetImpossibleError) return { next: "impossible" };
    throw error;
  }
}

export async function viewOf(
  parts: Pick<CompactionParts, "windows">,
  loaded: Loaded,
  made: Pick<Plan | Report, "entries" | "budget" | "pressure" | "tokens" | "warnings">,
  outcome: Outcome,
): Promise<ApiView> {
  const measure = await measureOf(parts, loaded.choice);
  const keepReason = keepReasons(loaded, made.entries);
  return {
    conversation: loaded.conversation.id,
    dialect: loaded.dialect.id,
    outcome,
    entries: made.entries.map((entry) => viewEntry(entry, loaded, keepReason, measure)),
    system: systemTokens(loaded, measure),
    budget: made.budget,
    pressure: made.pressure,
    tokens: made.tokens,
    warnings: made.warnings,
  };
}

/** Does a plan change the view? One that is due may find that there is nothing to gain. */
const isCompacting = ({ due, rungs }: Plan): boolean =>
  due !== undefined && rungs.some(({ rung, result }) => result === "used" && rung !== "nothing-due");

export function planOutcome(plan: Plan): Outcome {
  if (isCompacting(plan)) return "compacted";
  return plan.entries.some(({ type }) => type !== "keep") ? "view" : "pass";
}

/** Indexes of entries count leading system messages; those of the API don't. */
function viewEntry(
  entry: Entry,
  loaded: Loaded,
  keepReason: (index: number) => KeepReason,
  measure: Measure,
): ViewEntry {
  const { lead, messages } = loaded;
  const tokens = entryTokens(entry, loaded, measure);
  if (entry.type === "insert") {
    const role: Role = entry.message.role;
    return {
      type: "insert",
      role,
      tokens,
      text: entry.message.text,
      covers: entry.covers.map(({ from, to }) => ({ from: from - lead.length, to: to - lead.length })),
      originals: entry.covers.flatMap(({ from, to }) =>
        messages.slice(from, to).map((message) => measure.message(message)),
      ),
    };
  }
  const index = entry.index - lead.length;
  const message = messages[entry.index]!;
  const { role } = message;
  const original = measure.message(message);
  if (entry.type === "drop") return { type: "drop", index, role, tokens: original, reason: entry.reason };
  if (entry.type === "edit") {
    const reasons = [...new Set(entry.edits.map(({ why }) => why))];
    return { type: "edit", index, role, tokens, original, reasons, edits: entry.edits };
  }
  return { type: "keep", index, role, tokens, why: keepReason(entry.index) };
}

/** Why messages are kept, one by one; what holds for all of them is looked up once. */
function keepReasons({ lead, messages, meta }: Loaded, all: readonly Entry[]): (index: number) => KeepReason {
  const pins = new Set(meta.pins ?? []);
  const isWhole = all.every(({ type }) => type === "keep");
  const lastUser = messages.findLastIndex(
    ({ role, parts }) => role === "user" && parts.some((part) => part.type !== "tool-result"),
  );
  let lastHidden = -1;
  for (const entry of all) {
    if (entry.type === "insert") for (const { to } of entry.covers) lastHidden = Math.max(lastHidden, to - 1);
    else if (entry.type === "drop") lastHidden = Math.max(lastHidden, entry.index);
  }
  return (index) => {
    if (index < lead.length) return "head";
    if (pins.has(index - lead.length) || messages[index]?.pinned) return "pinned";
    if (isWhole) return "kept";
    if (index === lastUser) return "last-user-message";
    return index > lastHidden ? "tail" : "kept";
  };
}

/** What became of the messages of a run, by their index in the transcript. */
export function fatesOf(
  entries: readonly Entry[],
  loaded: Loaded,
  measure: Measure,
  run: Run,
): Map<number, Fate> {
  const fates = new Map<number, Fate>();
  const isAsked = (index: number) => index >= run.from && index < run.to;
  for (const [number, entry] of entries.entries()) {
    if (entry.type !== "insert") continue;
    for (const { from, to } of entry.covers)
      for (let index = Math.max(from, run.from); index < Math.min(to, run.to); index++)
        fates.set(index, { type: "covered", by: number });
  }
  // After the covers: messages inside a covered run that are shown all the same have entries of their own.
  for (const entry of entries) {
    if (entry.type === "insert" || !isAsked(entry.index)) continue;
    if (entry.type === "keep") fates.set(entry.index, { type: "kept" });
    else if (entry.type === "drop") fates.set(entry.index, { type: "dropped", reason: entry.reason });
    else
      fates.set(entry.index, {
        type: "edited",
        reasons: [...new Set(entry.edits.map(({ why }) => why))],
        tokens: entryTokens(entry, loaded, measure),
      });
  }
  return fates;
}

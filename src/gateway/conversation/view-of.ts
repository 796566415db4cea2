import { BudgetImpossibleError } from "../../core/errors.ts";
import type {
  Budget,
  Entry,
  FitInput,
  Measure,
  Outcome,
  Plan,
  PressureReport,
  Report,
  Role,
  Run,
} from "../../core/types.ts";
import type { KeepReason } from "../../core/words.ts";
import { levelOf } from "../../engine/deliver/report.ts";
import type { ApiPressure, ApiView, Fate, ViewEntry } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { measureOf } from "../compaction/measure.ts";
import { NOBODYS_WINDOW } from "../compaction/windows.ts";
import { hostedAlone } from "../wires/gateway-tools.ts";
import { metaOf } from "./chat-settings.ts";
import { countAheadOfPlan } from "./count-ahead.ts";
import { entryTokens, systemTokens } from "./entry-tokens.ts";
import { answerCap, findConversation, type Loaded, type LoadParts, load } from "./loaded.ts";

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
  const isDue = report.pressure >= report.startsAt;
  const plan = isDue || waitsForQuotation(loaded, report) ? await planned(parts, loaded) : undefined;
  return {
    ...(plan && plan !== "impossible" ? withQuotation(report, plan) : report),
    model: loaded.model === "" ? undefined : loaded.model,
    ...windowShown(report.budget),
    ...(isDue && nextOf(plan)),
  };
}

/** Where no model is there to answer yet, there is no window, and without a cap nothing to compare with. */
function windowShown({
  window,
  budget,
  reserve,
  tools,
  safety,
}: Budget): Pick<ApiPressure, "window" | "isOpen"> {
  if (window !== NOBODYS_WINDOW) return { window };
  return { window: undefined, ...(budget === window - reserve - tools - safety && { isOpen: true }) };
}

type Planned = Plan | "impossible" | undefined;

async function planned(parts: Parameters<typeof currentPlan>[0], loaded: Loaded): Promise<Planned> {
  try {
    return await currentPlan(parts, loaded);
  } catch (error) {
    if (error instanceof BudgetImpossibleError) return "impossible";
    throw error;
  }
}

/** A question that no view was made for yet may be quoted something with it. */
function waitsForQuotation({ messages }: Loaded, { checkpoint }: PressureReport): boolean {
  return checkpoint !== undefined && messages.at(-1)?.role === "user";
}

/** Pressure with what recall will add to the view: the meter shows what the model would be sent, as the inspector does. */
function withQuotation(report: PressureReport, plan: Plan): PressureReport {
  const more = plan.tokens.after - report.tokens;
  if (isCompacting(plan) || more <= 0) return report;
  const { after: pressure } = plan.pressure;
  const fill = { ...report.fill, summary: report.fill.summary + more };
  return { ...report, tokens: plan.tokens.after, pressure, level: levelOf(pressure), fill };
}

/** What comes of a compaction that should start now. */
function nextOf(plan: Planned): Pick<ApiPressure, "next" | "isAllPinned"> {
  if (plan === undefined) return {};
  if (plan === "impossible") return { next: "impossible" };
  if (plan.calls.length > 0 || isCompacting(plan)) return { next: "compaction" };
  const isAllPinned = plan.warnings.some(({ code }) => code === "all-pinned");
  return { next: plan.due === undefined ? "held" : "nothing-to-gain", ...(isAllPinned && { isAllPinned }) };
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

/** Was nothing said or changed since a person had all of it compacted? Doing it again would halve a small view for nothing. */
export async function isJustCompacted(
  parts: LoadParts & Pick<CompactionParts, "compactors" | "windows" | "now">,
  tenant: string,
  id: string,
): Promise<boolean> {
  const found = await findConversation(parts, tenant, id);
  const { byHand } = metaOf(found);
  if (byHand === undefined || byHand.messages !== found.length) return false;
  const { checkpoint, budget } = await pressureOf(parts, tenant, found.id);
  return checkpoint === byHand.checkpoint && budget.budget === byHand.budget;
}

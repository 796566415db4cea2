import type { Entry, FitInput, Measure, Outcome, Plan, Report, Role } from "../../core/types.ts";
import type { ApiView, Fate, KeepReason, ViewEntry } from "../api.ts";
import type { Gateway } from "../gateway.ts";
import type { Loaded } from "./loaded.ts";
import { measureOf } from "./measure-of.ts";

/** What `fit` gets for a conversation of the page. */
export function fitInput(loaded: Loaded): FitInput<unknown> {
  return { system: loaded.system, pins: loaded.pins };
}

/** What the model would be sent now. Nothing is stored or asked for. */
export async function currentPlan(gateway: Gateway, loaded: Loaded): Promise<Plan> {
  return gateway.compactors
    .of(loaded.choice)
    .plan(loaded.transcript, { ...fitInput(loaded), now: gateway.now() });
}

export async function viewOf(
  gateway: Gateway,
  loaded: Loaded,
  made: Pick<Plan | Report, "entries" | "budget" | "pressure" | "tokens" | "warnings">,
  outcome: Outcome,
): Promise<ApiView> {
  const measure = await measureOf(gateway, loaded.choice);
  return {
    conversation: loaded.conversation.id,
    dialect: loaded.dialect.id,
    outcome,
    entries: made.entries.map((entry) => viewEntry(entry, loaded, made.entries, measure)),
    budget: made.budget,
    pressure: made.pressure,
    tokens: made.tokens,
    warnings: made.warnings,
  };
}

export function planOutcome(plan: Plan): Outcome {
  if (plan.due !== undefined) return "compacted";
  return plan.entries.some(({ type }) => type !== "keep") ? "view" : "pass";
}

/** Indexes of entries count leading system messages; those of the API don't. */
function viewEntry(entry: Entry, loaded: Loaded, all: readonly Entry[], measure: Measure): ViewEntry {
  const { lead, messages, transcript, dialect } = loaded;
  if (entry.type === "insert") {
    const role: Role = entry.message.role;
    const tokens = measure.message({ role, parts: [{ type: "text", text: entry.message.text }] });
    return {
      type: "insert",
      role,
      tokens,
      text: entry.message.text,
      covers: entry.covers.map(({ from, to }) => ({ from: from - lead.length, to: to - lead.length })),
    };
  }
  const index = entry.index - lead.length;
  const message = messages[entry.index]!;
  const { role } = message;
  const original = measure.message(message);
  if (entry.type === "drop") return { type: "drop", index, role, tokens: original, reason: entry.reason };
  if (entry.type === "edit") {
    const edited = dialect.read(dialect.edit(transcript[entry.index]!, entry.edits));
    return {
      type: "edit",
      index,
      role,
      tokens: measure.message(edited),
      original,
      reasons: [...new Set(entry.edits.map(({ why }) => why))],
      edits: entry.edits,
    };
  }
  return { type: "keep", index, role, tokens: original, why: keepReason(entry.index, loaded, all) };
}

function keepReason(index: number, { lead, messages, meta }: Loaded, all: readonly Entry[]): KeepReason {
  if (index < lead.length) return "head";
  if (meta.pins?.includes(index - lead.length) || messages[index]?.pinned) return "pinned";
  if (!all.some(({ type }) => type !== "keep")) return "kept";
  const lastUser = messages.findLastIndex(
    ({ role, parts }) => role === "user" && parts.some((part) => part.type !== "tool-result"),
  );
  if (index === lastUser) return "last-user-message";
  const lastHidden = all.reduce(
    (last, entry) =>
      entry.type === "insert"
        ? Math.max(last, ...entry.covers.map(({ to }) => to - 1))
        : entry.type === "drop"
          ? Math.max(last, entry.index)
          : last,
    -1,
  );
  return index > lastHidden ? "tail" : "kept";
}

/** What became of each message, by its index in the transcript. */
export function fatesOf(entries: readonly Entry[], loaded: Loaded, measure: Measure): Map<number, Fate> {
  const fates = new Map<number, Fate>();
  for (const [number, entry] of entries.entries()) {
    if (entry.type === "keep") fates.set(entry.index, { type: "kept" });
    else if (entry.type === "drop") fates.set(entry.index, { type: "dropped", reason: entry.reason });
    else if (entry.type === "edit")
      fates.set(entry.index, {
        type: "edited",
        reasons: [...new Set(entry.edits.map(({ why }) => why))],
        tokens: measure.message(
          loaded.dialect.read(loaded.dialect.edit(loaded.transcript[entry.index]!, entry.edits)),
        ),
      });
    else
      for (const { from, to } of entry.covers)
        for (let index = from; index < to; index++)
          if (!fates.has(index)) fates.set(index, { type: "covered", by: number });
  }
  // Messages inside a covered run that are shown all the same stand later in the list than the run's own entry.
  for (const entry of entries) if (entry.type === "keep") fates.set(entry.index, { type: "kept" });
  return fates;
}

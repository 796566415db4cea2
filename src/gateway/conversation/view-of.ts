import { defined, keepNewest } from "../../core/collections.ts";
import { appendSystem, systemMessage } from "../../core/draft.ts";
import { BudgetImpossibleError } from "../../core/errors.ts";
import type {
  Budget,
  Compactor,
  Entry,
  FitInput,
  Measure,
  Outcome,
  Plan,
  PressureReport,
  Report,
  Role,
  State,
  Store,
} from "../../core/types.ts";
import type { KeepReason } from "../../core/words.ts";
import { levelOf } from "../../engine/deliver/report.ts";
import { hasSystem, insertTokens } from "../../engine/read/conversation.ts";
import type { ApiPressure, ApiView, ViewEntry } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { measureOf } from "../compaction/measure.ts";
import { NOBODYS_WINDOW } from "../compaction/windows.ts";
import { hostedAlone } from "../wires/gateway-tools.ts";
import { metaOf } from "./chat-settings.ts";
import {
  answerCap,
  countAhead,
  countAheadOfPlan,
  findConversation,
  type Loaded,
  type LoadParts,
  load,
} from "./loaded.ts";

/** What `fit` gets for a conversation of the page. */
export function fitInput(loaded: Loaded): FitInput<unknown> {
  const { wire, system, pins } = loaded;
  const maxAnswer = answerCap(loaded);
  const tools = hostedAlone(wire, loaded.tools);
  return {
    system,
    pins,
    ...defined({ tools, maxAnswer }),
  };
}

/** The compactor of a conversation, and what it is given with the transcript. */
export const atWork = (
  { compactors, now }: Pick<CompactionParts, "compactors" | "now">,
  loaded: Loaded,
  signal?: AbortSignal,
) => ({
  loaded,
  compactor: compactors.of(loaded.choice),
  input: { ...fitInput(loaded), now: now(), ...(signal && { signal }) },
});

/** What the model would be sent now. Nothing is stored or asked for. */
export async function currentPlan(
  parts: Pick<CompactionParts, "compactors" | "windows" | "now">,
  loaded: Loaded,
): Promise<Plan> {
  await countAheadOfPlan(parts, loaded);
  const { compactor, input } = atWork(parts, loaded);
  return compactor.plan(loaded.transcript, input);
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
function keepReasons(
  { lead, messages, ...loaded }: Loaded,
  all: readonly Entry[],
): (index: number) => KeepReason {
  const pins = new Set(loaded.pins);
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
    if (pins.has(index) || messages[index]?.pinned) return "pinned";
    if (isWhole) return "kept";
    if (index === lastUser) return "last-user-message";
    return index > lastHidden ? "tail" : "kept";
  };
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

/** Tokens of a system prompt that stands apart from the messages. */
export function systemTokens(
  { dialect, system }: Pick<Loaded, "dialect" | "system">,
  measure: Measure,
): number {
  return hasSystem(system) ? measure.message(dialect.read(systemMessage(system))) : 0;
}

/** What an entry adds to the view. All of them and the system prompt are what the engine says of the whole. */
export function entryTokens(
  entry: Entry,
  loaded: Pick<Loaded, "dialect" | "messages" | "transcript" | "system">,
  measure: Measure,
): number {
  const { dialect, messages, transcript, system } = loaded;
  switch (entry.type) {
    case "drop":
      return 0;
    case "keep":
      return measure.message(messages[entry.index]!);
    case "edit":
      return measure.message(dialect.read(dialect.edit(transcript[entry.index]!, entry.edits)));
    default: {
      const { message, merged } = entry;
      if (merged) return 0;
      if (message.role !== "system" || dialect.rules.system !== "apart")
        return insertTokens(measure, message);
      const joined = { dialect, system: appendSystem(dialect, system, message.text) };
      return systemTokens(joined, measure) - systemTokens(loaded, measure);
    }
  }
}

/** What requests stand on from a length of the transcript on, in a replay. */
export interface ReplayedState {
  readonly length: number;
  readonly state: State;
}

/** Conversations whose replay is kept. */
const MAX_KEPT = 20;

/** The last replay of each conversation, so that its views can be looked at one by one. */
export type ReplayedStates = ReturnType<typeof createReplayedStates>;

export function createReplayedStates() {
  const kept = new Map<string, readonly ReplayedState[]>();
  return {
    keep(tenant: string, conversation: string, states: readonly ReplayedState[]): void {
      keepNewest(kept, `${tenant} ${conversation}`, states, MAX_KEPT);
    },
    at: (tenant: string, conversation: string, length: number): State | undefined =>
      kept.get(`${tenant} ${conversation}`)?.findLast((one) => one.length <= length)?.state,
  };
}

/** Knows nothing and keeps nothing: a replay finds no compaction that there was. */
const NOTHING: Store = {
  find: async () => ({ checkpoints: [], summaries: [], undos: [] }),
  save: async () => {},
};

/** A compactor under the conversation's own settings that knows nothing of what was done before. */
export const replayCompactor = (
  { compactors }: Pick<CompactionParts, "compactors">,
  { choice }: Loaded,
): Compactor<unknown> => compactors.lookingAt(choice, NOTHING);

/** What the last replay sent when the transcript was as long as this one is loaded. */
export async function replayedPlan(
  parts: Pick<CompactionParts, "compactors" | "windows" | "now"> & {
    readonly replayedStates: ReplayedStates;
  },
  tenant: string,
  loaded: Loaded,
): Promise<Plan> {
  await countAhead(parts, loaded);
  const state = parts.replayedStates.at(tenant, loaded.conversation.id, loaded.transcript.length);
  return replayCompactor(parts, loaded).plan(loaded.transcript, {
    ...fitInput(loaded),
    now: parts.now(),
    state,
  });
}

import { defined } from "../core/defined.ts";
import { type Draft, entriesOf } from "../core/draft.ts";
import { applyEdits } from "../core/edits.ts";
import type { Entry, ModelCall, PressureReport, Report } from "../core/types.ts";
import { shownInsertTokens } from "./conversation.ts";
import { showsNote } from "./host-state.ts";
import type { Operation } from "./operation.ts";
import type { Survey } from "./survey.ts";

/** The meter's colours: green below the first, yellow below the second, red above. */
const YELLOW_FROM = 0.7;
const RED_FROM = 0.9;

/** The receipt of one `fit`. */
export function reportOf<M>(
  { engine, survey }: Operation<M>,
  told: Pick<Report, "outcome" | "reason" | "rungs" | "checkpoint"> &
    Partial<Pick<Report, "recalled" | "quoted" | "unquoted" | "warnings" | "prefixReason">> & {
      /** What is shown, and its tokens. Default: the current view. */
      readonly draft?: Draft;
      readonly tokens?: number;
      readonly calls?: readonly ModelCall[];
    },
): Report {
  const { settings, dialect } = engine;
  const { draft = survey.current, tokens = survey.tokens, calls = [], prefixReason } = told;
  const entries = entriesOf(draft);
  return {
    conversation: survey.name,
    outcome: told.outcome,
    reason: told.reason,
    strategy: settings.strategy,
    profile: settings.profile,
    dialect: dialect.id,
    budget: survey.budget,
    pressure: { before: survey.pressure, after: tokens / survey.budget.budget },
    tokens: {
      transcript: survey.conversation.total,
      before: survey.tokens,
      after: tokens,
      ...(survey.bounded && { atMost: true }),
    },
    answer: answerRoom(survey, tokens),
    counts: countsOf(entries),
    entries,
    recalled: told.recalled ?? [],
    quoted: told.quoted ?? [],
    unquoted: told.unquoted ?? [],
    rungs: told.rungs,
    modelCalls: calls,
    ...(engine.summarizer && {
      summarizer: { id: engine.summarizer.id, ...defined({ key: engine.summarizer.key }) },
    }),
    cost: calls.reduce((sum, call) => sum + call.cost, 0),
    cacheHits: { checkpoint: survey.checkpoint !== undefined, summaries: survey.state.summaries.length },
    warnings: [...survey.warnings, ...(told.warnings ?? [])],
    prefixChanged: prefixReason !== undefined,
    prefixReason,
    checkpoint: told.checkpoint,
  };
}

/** Tokens that are left for the answer beside a view. */
function answerRoom<M>({ budget, maxAnswer }: Survey<M>, tokens: number): number | undefined {
  if (budget.window === undefined) return undefined;
  const left = budget.window - tokens - budget.tools - budget.safety;
  return Math.max(0, Math.min(left, maxAnswer ?? left));
}

function countsOf(entries: readonly Entry[]): Report["counts"] {
  const counts = { kept: 0, edited: 0, covered: 0, dropped: 0, inserted: 0 };
  for (const entry of entries) {
    if (entry.type === "keep") counts.kept++;
    else if (entry.type === "edit") counts.edited++;
    else if (entry.type === "drop") counts.dropped++;
    else {
      counts.inserted++;
      counts.covered += entry.covers.reduce((sum, run) => sum + run.to - run.from, 0);
    }
  }
  return counts;
}

/** The colour of a meter at a pressure. */
export function levelOf(pressure: number): PressureReport["level"] {
  return pressure < YELLOW_FROM ? "green" : pressure < RED_FROM ? "yellow" : "red";
}

/** How full the current view is, and with what. */
export function pressureOf<M>(survey: Survey<M>): PressureReport {
  const { conversation, current, quoted, pressure, tokens, budget, startsAt, checkpoint } = survey;
  const { measure, messages, outside, note } = conversation;
  const fill = { system: outside.system, summary: 0, user: outside.extras, assistant: 0, tool: 0, image: 0 };
  for (const [index, fate] of current.fates.entries()) {
    if (fate.type === "cover" || fate.type === "drop") continue;
    const message = fate.type === "edit" ? applyEdits(messages[index]!, fate.edits) : messages[index]!;
    const appended = fate.type === "edit" && fate.edits.some((edit) => edit.type === "append");
    const all = appended ? conversation.editedTokens(index, fate.edits) : measure.message(message);
    const words = message.parts.filter((part) => part.type !== "image" && part.type !== "frame");
    const images =
      words.length < message.parts.length ? all - measure.message({ ...message, parts: words }) : 0;
    fill.image += images;
    const results = message.role === "user" && message.parts.some((part) => part.type === "tool-result");
    fill[results ? "tool" : message.role] += all - images;
  }
  if (note && showsNote(current, messages)) fill.user += note.tokens;
  for (const insert of current.inserts) fill.summary += shownInsertTokens(conversation, insert);
  for (const one of quoted) fill.summary += one.tokens;
  const level = levelOf(pressure);
  return {
    pressure,
    tokens,
    budget,
    startsAt,
    level,
    fill,
    ...(checkpoint && { checkpoint: checkpoint.id }),
  };
}

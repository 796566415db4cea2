import { clipText } from "../../core/clip.ts";
import { type Draft, type Fate, type Insert, isShown, KEEP } from "../../core/draft.ts";
import { editableParts } from "../../core/edits.ts";
import type { Unit } from "../../core/rounds.ts";
import type { ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { reframe } from "../../summaries/frames/reframe.ts";
import { escapeLine, escapeText } from "../../summaries/text/escape.ts";
import { LINE_BREAK } from "../../summaries/text/look-alikes.ts";
import { withPlantMark } from "../../summaries/text/plants.ts";
import { headName } from "../../summaries/write/sections.ts";
import { ARGS_TOKENS, RESULT_TOKENS, recordFor, roundRuns, roundsEnd } from "../plan/wanted-run.ts";
import { type Conversation, draftTokens } from "../read/conversation.ts";
import type { Rung } from "./step.ts";

const ROUNDS_SUMMARY = "Summary of previous tool interaction (";

/**
 * Rung 3 on completed rounds only: each run of rounds in the middle becomes one message, by the records that a model wrote
 * of them, and for the rest a line per call.
 */
export const summarizeRounds: Rung = async (input) => {
  const { conversation, current, settings, goal, rules, rounds = new Map() } = input;
  const { start } = conversation.structure;
  const isUnproven = [...rounds.values()].some(({ unproven }) => unproven);
  const mayBeSystem = settings.placement !== "user" && rules.system === "message" && !isUnproven;
  const fates: Fate[] =
    current.inserts.length > 0 ? conversation.messages.map(() => KEEP) : [...current.fates];
  const inserts: Insert[] = [];
  for (const run of roundRuns(conversation, roundsEnd(conversation, settings, goal))) {
    await input.pause();
    const lines: string[] = [];
    let isQuoted = false;
    let isFramed = false;
    let rest: readonly Unit[] = run;
    while (rest.length > 0) {
      const sealed = recordFor(rest, rounds, start);
      const units = sealed?.units ?? rest.slice(0, 1);
      rest = sealed?.rest ?? rest.slice(1);
      // What an earlier compaction dropped stays dropped: a line about it would speak for nothing.
      const shown = units.filter((unit) => fates.slice(unit.from, unit.to).some(isShown));
      if (shown.length === 0) continue;
      for (const { from, to } of units)
        for (let index = from; index < to; index++)
          if (isShown(fates[index]!)) fates[index] = { type: "cover", by: inserts.length };
      if (sealed) {
        lines.push(recordLine(conversation, units, sealed.record.text));
        isFramed ||= sealed.record.unproven === true;
      } else {
        isQuoted = true;
        lines.push(...units.flatMap((unit) => roundLines(conversation, unit)));
      }
    }
    // What a tool said never speaks in the system's role; what a model wrote about it and was accepted may.
    const role = mayBeSystem && !isQuoted ? "system" : "user";
    const text = lines.join("\n").toWellFormed();
    // Nobody vouches for a record of an unsigned state: without a frame, it would speak in the user's own voice.
    if (lines.length > 0) inserts.push({ message: { role, text: isFramed ? reframe(text) : text } });
  }
  const draft: Draft = { fates, inserts };
  return inserts.length > 0 && draftTokens(conversation, draft) <= input.limit ? draft : undefined;
};

/** What code alone would write in place of the rounds that an insert of a draft speaks for; undefined where it speaks for others. */
export function roundsText(conversation: Conversation, { fates }: Draft, insert: number): string | undefined {
  const isCovered = (fate: Fate) => fate.type === "cover" && fate.by === insert;
  const units = conversation.structure.units.filter(({ from, to }) => fates.slice(from, to).some(isCovered));
  if (units.length === 0 || units.some(({ kind }) => kind !== "round")) return undefined;
  return units
    .flatMap((unit) => roundLines(conversation, unit))
    .join("\n")
    .toWellFormed();
}

/** What a model wrote about several rounds. */
function recordLine({ messages }: Conversation, units: readonly Unit[], text: string): string {
  const names = new Set(
    units.flatMap(({ from, to }) =>
      messages
        .slice(from, to)
        .flatMap(({ parts }) =>
          parts.flatMap((part) => (part.type === "tool-call" ? [headName(part.name, "tool")] : [])),
        ),
    ),
  );
  return `${ROUNDS_SUMMARY}${[...names].join(", ")}): ${escapeText(text).replaceAll("\n", "\n ")}`;
}

/** One line per call: name, arguments, result. */
function roundLines({ messages, structure, measure }: Conversation, unit: Unit): string[] {
  // One line each: the next line begins with words of ours.
  const clip = (text: string, tokens: number) =>
    escapeLine(
      clipText(text.trim(), tokens, (piece) => measure.text(piece))
        ?.split(LINE_BREAK)
        .map((line) => line.trim())
        .join(" ") ?? "…",
    );
  const own = structure.pairs.filter(({ call }) => call.index >= unit.from && call.index < unit.to);
  const results = new Map(own.map(({ call, result }) => [`${call.index}:${call.part}`, result]));
  const lines: string[] = [];
  for (let index = unit.from; index < unit.to; index++) {
    for (const [part, call] of editableParts(messages[index]!).entries()) {
      if (call.type === "text" && call.text.trim()) lines.push(clip(call.text, RESULT_TOKENS));
      if (call.type !== "tool-call") continue;
      const at = results.get(`${index}:${part}`);
      const result = at && (editableParts(messages[at.index]!)[at.part] as ToolResultPart);
      lines.push(callLine(call, result, clip));
    }
  }
  return lines;
}

function callLine(
  call: ToolCallPart,
  result: ToolResultPart | undefined,
  clip: (text: string, tokens: number) => string,
): string {
  const said = result && clip(result.text, RESULT_TOKENS);
  const answer =
    said === undefined ? "no result" : `${result?.error ? "failed: " : ""}${withPlantMark(said)}`;
  return `${ROUNDS_SUMMARY}${headName(call.name, "tool")}): ${clip(call.args, ARGS_TOKENS)} → ${answer}`;
}

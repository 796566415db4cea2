import { clipText } from "../../core/clip.ts";
import { type Draft, type Fate, type Insert, isShown, KEEP } from "../../core/draft.ts";
import { editableParts } from "../../core/edits.ts";
import type { Unit } from "../../core/rounds.ts";
import type { ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { type Conversation, draftTokens, mustShow } from "../conversation.ts";
import { chooseTail } from "../tail.ts";
import type { Rung } from "./rung.ts";

/** What the line about one call keeps of its arguments and of its result (tokens). */
const ARGS_TOKENS = 40;
const RESULT_TOKENS = 80;

/** Rung 3 on completed rounds only: each run of rounds in the middle becomes one message with a line per call. */
export const summarizeRounds: Rung = (input) => {
  const { conversation, current, settings, goal, rules } = input;
  const { structure, head, apart } = conversation;
  const tail = chooseTail(conversation, {
    tail: settings.tail,
    limit: settings.tail.tokens ?? Math.floor((goal - head - apart.extras) * settings.tail.share),
    soft: false,
  });
  const role = settings.placement === "user" || rules.system === "apart" ? "user" : "system";
  const fates: Fate[] =
    current.inserts.length > 0 ? conversation.messages.map(() => KEEP) : [...current.fates];
  const inserts: Insert[] = [];
  let lines: string[] = [];
  const close = () => {
    if (lines.length > 0) inserts.push({ message: { role, text: lines.join("\n").toWellFormed() } });
    lines = [];
  };
  for (const unit of structure.units) {
    if (!isCompleted(conversation, unit) || unit.to > tail.from || unit.from < structure.start) {
      close();
      continue;
    }
    // What an earlier compaction dropped stays dropped: a line about it would speak for nothing.
    if (!fates.slice(unit.from, unit.to).some(isShown)) continue;
    for (let index = unit.from; index < unit.to; index++) {
      if (isShown(fates[index]!)) fates[index] = { type: "cover", by: inserts.length };
    }
    lines.push(...roundLines(conversation, unit));
  }
  close();
  const draft: Draft = { fates, inserts };
  return inserts.length > 0 && draftTokens(conversation, draft) <= input.limit ? draft : undefined;
};

function isCompleted(conversation: Conversation, unit: Unit): boolean {
  if (unit.kind !== "round" || unit.open) return false;
  for (let index = unit.from; index < unit.to; index++) if (mustShow(conversation, index)) return false;
  return true;
}

/** One line per call: name, arguments, result. */
function roundLines({ messages, structure, measure }: Conversation, unit: Unit): string[] {
  const clip = (text: string, tokens: number) =>
    clipText(text.trim(), tokens, (piece) => measure.text(piece))?.replace(/\s*\n\s*/g, " ") ?? "…";
  const results = new Map(structure.pairs.map(({ call, result }) => [`${call.index}:${call.part}`, result]));
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
  const answer = result
    ? `${result.error ? "failed: " : ""}${clip(result.text, RESULT_TOKENS)}`
    : "no result";
  return `Summary of previous tool interaction (${call.name}): ${clip(call.args, ARGS_TOKENS)} → ${answer}`;
}

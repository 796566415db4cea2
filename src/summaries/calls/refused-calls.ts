import { cutTo } from "../../core/first-characters.ts";
import type { Message, ToolResultPart } from "../../core/types.ts";
import { plantIn, withPlantMark } from "../plants.ts";
import { sourceName } from "../sections.ts";
import type { Outcome } from "./outcomes.ts";

/**
 * How a host reports that the user refused a call, and what the user said instead. It is a result of a tool like any other: a
 * program could print the same. So it is quoted under the name of the tool, never as the user's words.
 */
const REFUSAL =
  /^The user (?:doesn't want to|denied|rejected) [^\n]{0,400}?\b(?:the user said|feedback|message|instruction):\s*(?:<feedback>\s*)?(\S[\s\S]*?)\s*(?:<\/feedback>[\s\S]*)?$/;
/** How Claude Code reports what the user chose. */
const ANSWERED = "User has answered your questions:";
const ANSWER = /"="([^"\n]{2,80})"/g;
/** Longer texts are cut (characters). */
const MAX_SAID = 300;

/** What the user typed when refusing a call: the user's words, though they stand in a result. */
export function wordsInRefusal({ text }: ToolResultPart): string[] {
  const said = REFUSAL.exec(text)?.[1];
  return said === undefined || plantIn(said) !== undefined ? [] : [said];
}

/** What the user chose where a tool asked. */
export function chosenAnswers({ text }: ToolResultPart): string[] {
  return text.startsWith(ANSWERED) ? [...text.matchAll(ANSWER)].map((match) => match[1]!) : [];
}

/** The refusals among the results of the given messages, newest first. */
export function refusedCalls(messages: readonly Message[], indexes: readonly number[]): Outcome[] {
  const names = new Map<string, string>();
  const isWanted = new Set(indexes);
  const refusals: Outcome[] = [];
  // In the order of time: ids may come again.
  for (const [index, { parts }] of messages.entries())
    for (const part of parts) {
      if (part.type === "tool-call") names.set(part.id, part.name);
      if (part.type !== "tool-result" || !isWanted.has(index)) continue;
      const said = REFUSAL.exec(part.text)?.[1];
      if (said === undefined) continue;
      const tool = sourceName(names.get(part.id), "tool");
      refusals.push({ message: index, tool, text: refusal(said), factor: 1 });
    }
  return refusals.reverse();
}

function refusal(said: string): string {
  const line = said
    .slice(0, 4 * MAX_SAID)
    .replace(/\s+/g, " ")
    .trim();
  return withPlantMark(`refused: ${cutTo(line, MAX_SAID)}`);
}

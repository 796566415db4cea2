import type { Message } from "../core/types.ts";
import type { Outcome } from "./outcomes.ts";
import { markPlant, plantIn } from "./plants.ts";
import { headName } from "./sections.ts";

/**
 * How a host reports that the user refused a call, and what the user said instead. It is a result of a tool like any other: a
 * program could print the same. So it is quoted under the name of the tool, never as the user's words.
 */
const REFUSAL = /^The user doesn't want to [^\n]{0,400}\bthe user said:\s*(\S[\s\S]*)$/;
/** Longer texts are cut (characters). */
const MAX_SAID = 300;

/** The refusals among the results of the given messages, newest first. */
export function refusedCalls(messages: readonly Message[], indexes: readonly number[]): Outcome[] {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.type === "tool-call") names.set(part.id, part.name);
  return indexes
    .flatMap((index) =>
      (messages[index]?.parts ?? []).flatMap((part): Outcome[] => {
        const said = part.type === "tool-result" ? REFUSAL.exec(part.text)?.[1] : undefined;
        if (part.type !== "tool-result" || said === undefined) return [];
        const tool = headName(names.get(part.id) ?? "", "tool") || "tool";
        return [{ message: index, tool, text: refusal(said), ended: "said", factor: 1 }];
      }),
    )
    .reverse();
}

function refusal(said: string): string {
  const line = said
    .slice(0, 4 * MAX_SAID)
    .replace(/\s+/g, " ")
    .trim();
  const short = line.length <= MAX_SAID ? line : `${line.slice(0, MAX_SAID).toWellFormed().trimEnd()}…`;
  const text = `refused: ${short}`;
  return plantIn(text) === undefined ? text : markPlant(text);
}

import type { Message } from "../../core/types.ts";
import { readArguments } from "../read-call.ts";
import { readPlan } from "../read-plan.ts";
import { inOneLine } from "./statements.ts";

const DONE = /^(?:completed?|done|finished|cancelled|canceled|deleted|closed)$/i;

/** The steps of the newest plan that aren't done. */
export function openSteps(messages: readonly Message[]): string[] {
  for (const message of messages.toReversed())
    for (const part of message.parts.toReversed()) {
      if (part.type !== "tool-call" || !part.args.includes('"status"')) continue;
      const plan = readPlan(readArguments(part.args));
      if (plan !== undefined)
        return plan.flatMap(({ text, status }) => (DONE.test(status) ? [] : [inOneLine(text)]));
    }
  return [];
}

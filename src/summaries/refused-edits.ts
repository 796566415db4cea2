import type { Message, ToolCallPart, ToolResultPart } from "../core/types.ts";
import { readCall } from "./read-call.ts";

/** Tools say in their first sentences whether they did it; what follows is advice or the file (characters). */
const LOOKED_AT = 300;
const SENTENCE_END = /(?<=[.!?])\s|\n/;
/** Paths and other names may hold any word. */
const NAME = /\S*[/\\]\S*|\S+[._]\w\S*|(?<!\w)(['`]).*?\1/g;
const FINE = /\b(?:no|0|without)\s+(?:errors?|warnings?|problems?|issues?|failures?)\b/gi;
const NOT_DONE =
  /\b(?:not|no|never|cannot|errors?|fail(?:s|ed|ure)?|reject(?:s|ed)|refused?|denie[sd]|declined|cancell?ed|aborted|interrupted|invalid|unable)\b|n['’]t\b/i;
const DONE =
  /\b(?:success\w*|done|ok|updated|created|written|wrote|saved|applied|replaced|edited|inserted|added|deleted|removed|changed)\b/i;

/** Edits that changed nothing, because the tool or a person refused them. */
export function refusedEdits(messages: readonly Message[]): ReadonlySet<ToolCallPart> {
  const refused = new Set<ToolCallPart>();
  const calls = new Map<string, ToolCallPart>();
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type === "tool-call") calls.set(part.id, part);
      else if (part.type === "tool-result") {
        const call = calls.get(part.id);
        if (call !== undefined && isRefusal(part) && readCall(call).kind === "edit") refused.add(call);
      }
    }
  return refused;
}

/** Does the answer to an edit say that it wasn't made? */
export function isRefusal({ text, error }: ToolResultPart): boolean {
  if (error === true || text.startsWith("<tool_use_error>")) return true;
  const head = text.slice(0, LOOKED_AT).replace(NAME, " ").replace(FINE, " ");
  for (const sentence of head.split(SENTENCE_END)) {
    if (NOT_DONE.test(sentence)) return true;
    if (DONE.test(sentence)) return false;
  }
  return false;
}

import { onceFor } from "../../core/collections.ts";
import { cutTo } from "../../core/first-characters.ts";
import { isRecord, parseJson } from "../../core/json.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { plantIn, withPlantMark } from "../text/plants.ts";
import { sourceName } from "../write/sections.ts";
import type { Outcome } from "./outcomes.ts";
import { readCall } from "./read-call.ts";

/** Tools say in their first sentences whether they did it; what follows is advice or the file (characters). */
const LOOKED_AT = 300;
/** Longer answers aren't a few fields in JSON (characters). */
const MAX_JSON = 4_000;
const SENTENCE_END = /(?<=[.!?])\s|\n/;
/** Where an answer begins to show the file. */
const SHOWS = /^(?:```|diff |@@|---|\+\+\+|\s*\d+[→|\t])/m;
/** Paths and other names may hold any word. */
const NAME = /\S*[/\\]\S*|\S+[._]\w\S*|(?<!\w)(['`]).*?\1/g;
const FINE = /\b(?:no|0|without)\s+(?:errors?|warnings?|problems?|issues?|failures?)\b/gi;
const NOT_DONE =
  /\b(?:not|no|nothing|never|0|zero|false|cannot|errors?|fail(?:s|ed|ure)?|reject(?:s|ed)|refused?|denie[sd]|declined|cancell?ed|aborted|interrupted|invalid|unable)\b|n['’]t\b/i;
const DONE =
  /\b(?:success\w*|done|ok|updated|created|written|wrote|saved|applied|replaced|edited|inserted|added|deleted|removed|changed)\b/i;

/** Edits that changed nothing, because the tool or a person refused them. */
export const refusedEdits = onceFor((messages: readonly Message[]): ReadonlySet<ToolCallPart> => {
  const edits = new Map<string, ToolCallPart>();
  const refused = new Set<ToolCallPart>();
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type === "tool-call" && readCall(part).kind === "edit") edits.set(part.id, part);
      if (part.type !== "tool-result") continue;
      const edit = edits.get(part.id);
      if (edit !== undefined && isRefusal(part)) refused.add(edit);
    }
  return refused;
});

/** Does the answer to an edit say that it wasn't made? What it says first counts. */
export function isRefusal({ text, error }: ToolResultPart): boolean {
  if (error !== undefined) return error;
  if (text.startsWith("<tool_use_error>")) return true;
  return refusesInFields(text) ?? refusesInWords(text);
}

function refusesInWords(text: string): boolean {
  const head = text.slice(0, LOOKED_AT);
  const words = head.slice(0, SHOWS.exec(head)?.index).replace(NAME, " ").replace(FINE, " ");
  for (const sentence of words.split(SENTENCE_END)) {
    const refused = sentence.search(NOT_DONE);
    const done = sentence.search(DONE);
    if (refused >= 0 || done >= 0) return refused >= 0 && (done < 0 || refused < done);
  }
  return false;
}

/** By the fields of an answer in JSON; undefined if it is none, or they don't say. */
function refusesInFields(text: string): boolean | undefined {
  if (!text.startsWith("{") || text.length > MAX_JSON) return undefined;
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { success, ok, error, errors, output } = value;
  for (const one of [success, ok]) if (typeof one === "boolean") return !one;
  for (const one of [error, errors]) if (one !== undefined) return isSaid(one);
  return typeof output === "string" ? refusesInWords(output) : undefined;
}

/** An error that isn't empty. */
function isSaid(error: unknown): boolean {
  if (Array.isArray(error)) return error.length > 0;
  return error !== null && error !== false && error !== "" && error !== 0;
}

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

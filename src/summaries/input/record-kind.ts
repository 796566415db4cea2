import type { Message } from "../../core/types.ts";
import type { RecordKind } from "../prompts/index.ts";
import { findCitations } from "../sources/citations.ts";

/** From this share of calls and results in all text on, a conversation is work with tools. */
const WORK_TOOL_SHARE = 0.4;
/** From this share of answers with citations on, it is about sources. */
const CITED_SHARE = 0.3;
const LEAST_CITED = 2;
/** The newest messages say what a conversation has become. */
const NEWEST = 400;

/** What kind of conversation this is: work with tools, answers from sources, or talk. */
export function recordKind(messages: readonly Message[]): RecordKind {
  let said = 0;
  let tools = 0;
  let answers = 0;
  let cited = 0;
  for (const { role, parts } of messages.slice(-NEWEST)) {
    if (role === "system") continue;
    for (const part of parts) {
      if (part.type === "tool-call") tools += part.args.length + part.name.length;
      else if (part.type === "tool-result") tools += part.text.length;
      else if (part.type === "text") {
        said += part.text.length;
        if (role !== "assistant" || part.text.trim() === "") continue;
        answers++;
        if (findCitations(part.text).length > 0) cited++;
      }
    }
  }
  if (tools > 0 && tools >= WORK_TOOL_SHARE * (said + tools)) return "work";
  return cited >= LEAST_CITED && cited >= CITED_SHARE * answers ? "retrieval" : "talk";
}

import type { Message } from "./types.ts";

/** A tool by which a model loads instructions that its host keeps. */
const LOADS_INSTRUCTIONS =
  /^(?:.*(?:__|[.:/]))?(?:(?:load|use|read|get|open|run|invoke|activate|view|call)[_-]?)?skills?(?:[_-]?(?:tool|load|loader|use|read|get|view))?$/i;
/** Instructions are longer than what somebody types while a tool runs (characters). */
const LEAST_INSTRUCTIONS = 800;
/** What a host writes where somebody stopped the model. */
const INTERRUPTION = /^\s*\[request (?:was )?(?:interrupted|cancell?ed|aborted)[^\]\n]{0,80}\]\s*$/i;
/** A longer text is no such note (characters). */
const LONGEST_NOTE = 200;
/** A command that the user typed, and how hosts begin the instructions that they put behind it. */
const TYPED_COMMAND = /^\s*<command-(?:message|name)>/;
const SKILL = /^Base directory for this skill: /;
/** What a host says about another agent's work, and where all of that stands. */
const NOTICE =
  /^\s*<task-notification>[\s\S]*<\/task-notification>\s*(?:(?=[^\n:]{0,80}\b(?:transcript|output|results?|logs?)\b)[A-Z][^\n:]{0,80}: ?[^\s/\\]{0,40}[/\\]\S{1,400}\s*)?$/;

/** Was a message of the user's role written by the host? Not a word of it is the user's. */
export function isHostNote(messages: readonly Message[], index: number): boolean {
  const message = messages[index];
  if (message?.role !== "user" || !message.parts.every((part) => part.type === "text")) return false;
  if (isNotice(message) || isCommandText(messages, index)) return true;
  const length = message.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  if (length >= LEAST_INSTRUCTIONS) return isLoaded(messages, index);
  const [part] = message.parts;
  return (
    message.parts.length === 1 &&
    length <= LONGEST_NOTE &&
    part!.type === "text" &&
    INTERRUPTION.test(part!.text)
  );
}

/** Does it stand right behind the result of a call that loads instructions? Hosts put their text in the user's place. */
function isLoaded(messages: readonly Message[], index: number): boolean {
  const results = messages[index - 1]?.parts.filter((part) => part.type === "tool-result") ?? [];
  const asked = new Set(results.map(({ id }) => id));
  for (let at = index - 2; at >= 0 && asked.size > 0; at--) {
    const { role, parts } = messages[at]!;
    const call = parts.find((part) => part.type === "tool-call" && asked.has(part.id));
    if (call?.type === "tool-call") return LOADS_INSTRUCTIONS.test(call.name);
    if (role === "user" && !parts.some((part) => part.type === "tool-result")) return false;
  }
  return false;
}

/** Is it what a host says about the work of another agent, and nothing else? */
export function isNotice({ parts }: Message): boolean {
  const [part] = parts;
  return parts.length === 1 && part!.type === "text" && NOTICE.test(part!.text);
}

/** Is it the text of a skill whose command the user typed? */
function isCommandText(messages: readonly Message[], index: number): boolean {
  const [part] = messages[index]!.parts;
  const before = messages[index - 1];
  return (
    part?.type === "text" &&
    SKILL.test(part.text) &&
    before?.role === "user" &&
    before.parts.some((typed) => typed.type === "text" && TYPED_COMMAND.test(typed.text))
  );
}

import type { FitResult } from "../../src/core/types.ts";
import { type Look, look } from "./look.ts";

/**
 * Reasoning that must be sent back with what it led to, for a model that isn't named. DeepSeek: "The reasoning_content in
 * the thinking mode must be passed back to the API"; OpenAI Responses: "Item was provided without its required 'reasoning'
 * item"; Anthropic: "Expected `thinking`, but found `tool_use`", unless thinking is off.
 */
export function lostReasoning(
  dialect: string,
  transcript: readonly object[],
  result: Pick<FitResult<object>, "messages" | "report">,
): string[] {
  const before = transcript.map((message) => look(dialect, message));
  const after = result.messages.map((message) => look(dialect, message));
  switch (dialect) {
    case "openai-responses":
      return lostItems(transcript, result.messages);
    case "anthropic-messages":
      return lostThinking(before, after, result);
    case "gemini-contents":
      // "… for function calls in the current turn": those behind the user's last words.
      return lostThoughts(before, sinceUser(after));
    default:
      return lostThoughts(before, after);
  }
}

const sinceUser = (looks: readonly Look[]): readonly Look[] =>
  looks.slice(looks.findLastIndex(({ role, texts }) => role === "user" && texts.length > 0) + 1);

const callsOf = ({ calls }: Look): string => calls.map(({ id }) => id).join();

function lostThoughts(before: readonly Look[], after: readonly Look[]): string[] {
  const thoughts = new Map(
    before.filter(({ calls }) => calls.length > 0).map((each) => [callsOf(each), each.thoughts]),
  );
  return after
    .filter((each) => each.calls.length > 0 && each.thoughts.join() !== thoughts.get(callsOf(each))?.join())
    .map((each) => `calls ${callsOf(each)} without the reasoning that led to them`);
}

/** Thinking that is shown is unchanged; where a tool loop under way lost its first one, thinking is to be switched off. */
function lostThinking(
  before: readonly Look[],
  after: readonly Look[],
  { report }: Pick<FitResult<object>, "report">,
): string[] {
  const known = new Set(before.flatMap(({ thoughts }) => thoughts));
  const faults = after
    .flatMap(({ thoughts }) => thoughts)
    .filter((thought) => !known.has(thought))
    .map((thought) => `thinking that was changed: ${thought.slice(0, 40)}`);
  const opening = loopOpening(after);
  const original = before.find((each) => opening && callsOf(each) === callsOf(opening));
  const lost = original && original.thoughts.length > 0 && opening?.thoughts.length === 0;
  if (lost && !report.warnings.some(({ code }) => code === "thinking-off"))
    faults.push("a tool loop lost its first thinking, and the host isn't told to switch it off");
  return faults;
}

/** The message that opens the tool loop under way: behind the last thing that the user said, if results wait to be read. */
function loopOpening(looks: readonly Look[]): Look | undefined {
  const answer = looks.findLastIndex(({ role }) => role === "assistant");
  if (!looks.slice(answer + 1).some(({ results }) => results.length > 0)) return undefined;
  const said = looks.findLastIndex(({ role, texts }) => role === "user" && texts.length > 0);
  const opening = looks.slice(said + 1).find(({ role }) => role === "assistant");
  return opening && opening.calls.length > 0 ? opening : undefined;
}

/** An item that came with reasoning is known to the API by its id, and refused by that id without it. */
function lostItems(before: readonly object[], after: readonly object[]): string[] {
  const leads = leadsOf(before as Item[]);
  const shown = new Set((after as Item[]).map(({ id }) => id));
  return (after as Item[]).flatMap(({ id }) => {
    const lead = id === undefined ? undefined : leads.get(id);
    return lead === undefined || shown.has(lead) ? [] : [`item ${id} without its reasoning`];
  });
}

interface Item {
  readonly type?: string;
  readonly id?: string;
  readonly role?: string;
}

/** The reasoning that each item came with, by id. Reasoning leads to all that the model put out behind it. */
function leadsOf(items: readonly Item[]): Map<string, string> {
  const leads = new Map<string, string>();
  let lead: string | undefined;
  for (const { type = "message", id, role } of items) {
    if (type === "reasoning") lead = id;
    else if (type === "function_call_output" || role === "user" || role === "developer") lead = undefined;
    else if (lead !== undefined && id !== undefined) leads.set(id, lead);
  }
  return leads;
}

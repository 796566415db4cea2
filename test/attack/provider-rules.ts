import { type Look, look } from "./look.ts";

/**
 * What the provider would refuse in a request, by its documents and its error messages. Each fault names the call that it
 * is about, if any, and no position, so that the faults of a view can be compared with those of its transcript.
 */
export function faultsOf(dialect: string, messages: readonly object[]): string[] {
  const looks = messages.map((message) => look(dialect, message));
  const spoken = looks.filter(({ role }) => role !== "system");
  const faults = looks.flatMap(emptyParts);
  if (!spoken.some(({ role }) => role === "user")) faults.push("no message of the user");
  return [...faults, ...RULES[dialect]!(looks, messages)];
}

/** Faults of the view that its transcript doesn't have, each as often as it is new. */
export function newFaults(transcript: readonly string[], view: readonly string[]): string[] {
  const left = [...transcript];
  return view.filter((fault) => {
    const at = left.indexOf(fault);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** "messages: text content blocks must be non-empty" (Anthropic), "expected a string with minimum length 1" (OpenAI). */
function emptyParts({ role, texts, calls, results, thoughts, images }: Look): string[] {
  const faults: string[] = [];
  if (texts.length + calls.length + results.length + thoughts.length + images === 0)
    faults.push(`a message of the ${role} says nothing`);
  for (const each of texts) if (each.trim() === "") faults.push(`an empty text of the ${role}`);
  for (const { id, text } of results) if (text.trim() === "") faults.push(`an empty result of ${id}`);
  for (const { id, text } of calls) if (!isCall(text)) faults.push(`arguments of ${id} that aren't JSON`);
  return faults;
}

function isCall(text: string): boolean {
  try {
    JSON.parse(text.slice(text.indexOf("{")));
    return true;
  } catch {
    return false;
  }
}

/**
 * "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'"; "messages
 * with role 'tool' must be a response to a preceeding message with 'tool_calls'". Anthropic says the same of `tool_use` and
 * the next message, the AI SDK throws `MissingToolResultsError`.
 */
function directResults(looks: readonly Look[]): string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  const missed = (): void => {
    for (const id of open) faults.push(`no result of ${id} right after it`);
  };
  for (const { role, calls, results } of looks) {
    for (const { id } of results)
      if (!open.delete(id)) faults.push(`a result of ${id} that doesn't follow its call`);
    if (role === "tool" || results.length > 0) continue;
    missed();
    open = new Set(calls.map(({ id }) => id));
    if (open.size < calls.length) faults.push("two calls with one id");
  }
  missed();
  return faults;
}

/** Consecutive messages of one role are one turn to Anthropic and to Gemini. */
function turnsOf(looks: readonly Look[]): Look[] {
  const turns: Look[] = [];
  for (const each of looks) {
    const last = turns.at(-1);
    if (last?.role !== each.role) turns.push(each);
    else
      turns[turns.length - 1] = {
        role: last.role,
        texts: [...last.texts, ...each.texts],
        calls: [...last.calls, ...each.calls],
        results: [...last.results, ...each.results],
        thoughts: [...last.thoughts, ...each.thoughts],
        images: last.images + each.images,
        kinds: [...last.kinds, ...each.kinds],
      };
  }
  return turns;
}

function anthropicRules(looks: readonly Look[]): string[] {
  const turns = turnsOf(looks);
  const faults: string[] = [];
  // "messages: first message must use the "user" role"
  if (turns[0]?.role !== "user") faults.push("the first message isn't the user's");
  turns.forEach((turn, at) => {
    const before = turns[at - 1];
    const asked = before?.calls.map(({ id }) => id) ?? [];
    const answered = turn.results.map(({ id }) => id);
    // "Each `tool_use` block must have a corresponding `tool_result` block in the next message"
    for (const id of asked) if (!answered.includes(id)) faults.push(`no result of ${id} right after it`);
    // "unexpected `tool_use_id` found in `tool_result` blocks"; "each tool_use must have a single result"
    answered.forEach((id, nth) => {
      if (!asked.includes(id) || answered.indexOf(id) < nth)
        faults.push(`a result of ${id} that doesn't follow its call`);
    });
    // "tool_result blocks must come first in the content"
    const other = turn.kinds.findIndex((kind) => kind !== "tool_result");
    if (other >= 0 && other < turn.kinds.lastIndexOf("tool_result"))
      faults.push("a result behind other content");
    // "The final block in an assistant message cannot be `thinking`"
    if (turn.role === "assistant" && turn.kinds.at(-1) === "thinking")
      faults.push("thinking at the end of a message");
  });
  for (const { id } of turns.at(-1)?.calls ?? []) faults.push(`no result of ${id} right after it`);
  return faults;
}

function geminiRules(looks: readonly Look[]): string[] {
  const turns = turnsOf(looks);
  const faults: string[] = [];
  // "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
  if (turns[0]?.role !== "user") faults.push("the first message isn't the user's");
  looks.forEach(({ role, calls }, at) => {
    if (calls.length > 0 && looks[at - 1]?.role === role)
      faults.push("a call right behind another message of the model");
  });
  turns.forEach(({ results }, at) => {
    const asked = turns[at - 1]?.calls.map(({ id }) => id) ?? [];
    const answered = results.map(({ id }) => id);
    // "… the number of function response parts is equal to the number of function call parts of the function call turn."
    for (const id of asked) if (!answered.includes(id)) faults.push(`no result of ${id} right after it`);
    answered.forEach((id, nth) => {
      if (!asked.includes(id) || answered.indexOf(id) < nth)
        faults.push(`a result of ${id} that doesn't follow its call`);
    });
  });
  for (const { id } of turns.at(-1)?.calls ?? []) faults.push(`no result of ${id} right after it`);
  return faults;
}

function responsesRules(looks: readonly Look[], items: readonly object[]): string[] {
  const faults: string[] = [];
  const asked = new Set<string>();
  const answered = new Set<string>();
  looks.forEach(({ calls, results, thoughts }, at) => {
    for (const { id } of calls) {
      if (asked.has(id)) faults.push("two calls with one id");
      asked.add(id);
    }
    for (const { id } of results) {
      // "No tool call found for function call output with call_id"
      if (!asked.has(id)) faults.push(`a result of ${id} that doesn't follow its call`);
      if (answered.has(id)) faults.push(`a second result of ${id}`);
      answered.add(id);
    }
    // "Item 'rs_…' of type 'reasoning' was provided without its required following item."
    const next = looks[at + 1];
    if (thoughts.length > 0 && next?.role !== "assistant")
      faults.push(`reasoning ${(items[at] as { id: string }).id} without what it led to`);
  });
  // "No tool output found for function call"
  for (const id of asked) if (!answered.has(id)) faults.push(`no result of ${id}`);
  return faults;
}

const RULES: Readonly<Record<string, (looks: readonly Look[], messages: readonly object[]) => string[]>> = {
  "openai-chat": directResults,
  "anthropic-messages": anthropicRules,
  "openai-responses": responsesRules,
  "ai-sdk": directResults,
  "gemini-contents": geminiRules,
};

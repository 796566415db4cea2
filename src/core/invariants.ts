import { type Structure, structureOf } from "./rounds.ts";
import type { DialectRules, Entry, Message } from "./types.ts";

/** Everything that is needed to judge a view before it leaves. */
export interface ViewCheck {
  readonly messages: readonly Message[];
  readonly structure: Structure;
  readonly entries: readonly Entry[];
  /** The wire messages of the view, read back, without extras. */
  readonly shown: readonly Message[];
  readonly rules: DialectRules;
  readonly isHead: (index: number) => boolean;
  readonly tokens: number;
  readonly budget: number;
  /** Tokens of the whole transcript, head included. */
  readonly transcriptTokens: number;
}

/** What holds for every view before it leaves, each breach as one sentence. An empty list is a good view. */
export function breachesOf(check: ViewCheck): string[] {
  return [
    ...sizeBreaches(check),
    ...accountBreaches(check),
    ...mustShowBreaches(check),
    ...pairingBreaches(check),
    ...roleBreaches(check),
    ...alternationBreaches(check),
  ];
}

/** Says a breach that there is too much of everything, and nothing else? */
export function isAboutSize(breach: string): boolean {
  return breach.includes(" tokens, but the ");
}

function sizeBreaches({ tokens, budget, transcriptTokens, shown, messages }: ViewCheck): string[] {
  const breaches: string[] = [];
  if (tokens > budget) breaches.push(`${tokens} tokens, but the budget is ${budget}`);
  if (tokens > transcriptTokens) {
    breaches.push(`${tokens} tokens, but the transcript itself has only ${transcriptTokens}`);
  }
  const speaks = (list: readonly Message[]) => list.some((message) => message.role !== "system");
  if (!speaks(shown) && speaks(messages)) breaches.push("the view is empty");
  return breaches;
}

/** Each message exactly once, in order, and each insert where the last message that it covers stood. */
function accountBreaches({ messages, entries }: ViewCheck): string[] {
  const breaches: string[] = [];
  const times = new Uint8Array(messages.length);
  let last = -1;
  for (const entry of entries) {
    if (entry.type === "insert") {
      for (const run of entry.covers) {
        for (let i = run.from; i < run.to; i++) if (i < times.length) times[i]!++;
      }
      const end = entry.covers.at(-1)?.to;
      if (end !== undefined && end - 1 < last)
        breaches.push(`an insert stands after message ${last}, not ${end - 1}`);
      continue;
    }
    if (entry.index <= last) breaches.push(`message ${entry.index} stands after message ${last}`);
    last = Math.max(last, entry.index);
    if (entry.index < times.length) times[entry.index]!++;
    else breaches.push(`there is no message ${entry.index}`);
  }
  const wrong = times.findIndex((count) => count !== 1);
  if (wrong >= 0) breaches.push(`message ${wrong} is accounted for ${times[wrong]} times`);
  return breaches;
}

/** Head and last user message are there, word for word (the last user message may lose images, never text). */
function mustShowBreaches({ messages, structure, entries, isHead }: ViewCheck): string[] {
  const breaches: string[] = [];
  const shown = new Map(
    entries.flatMap((entry) =>
      entry.type === "keep" || entry.type === "edit" ? [[entry.index, entry] as const] : [],
    ),
  );
  for (const index of messages.keys()) {
    if (!isHead(index)) continue;
    const entry = shown.get(index);
    const whole =
      entry?.type === "keep" ||
      (entry?.type === "edit" && entry.edits.every((edit) => edit.type !== "replace"));
    if (!whole) breaches.push(`message ${index} of the head isn't shown word for word`);
  }
  const { lastUser } = structure;
  if (lastUser !== undefined) {
    const entry = shown.get(lastUser);
    const parts = messages[lastUser]!.parts.filter((part) => part.type !== "reasoning");
    const whole =
      entry?.type === "keep" ||
      (entry?.type === "edit" &&
        entry.edits.every((edit) => edit.type !== "replace" || parts[edit.part]?.type !== "text"));
    if (!whole) breaches.push(`the last user message (${lastUser}) isn't shown word for word`);
  }
  return breaches;
}

/** No orphan that the transcript doesn't have; results right behind their calls where the format wants that. */
function pairingBreaches(check: ViewCheck): string[] {
  const { structure, shown, rules } = check;
  const breaches: string[] = [];
  const known = new Set(structure.faults.map((fault) => `${fault.kind}:${fault.index}`));
  const origin = originOf(check);
  const view = structureOf(shown);
  for (const fault of view.faults) {
    const index = origin[fault.index];
    if (!known.has(`${fault.kind}:${index}`))
      breaches.push(`${fault.kind} at message ${index ?? "(inserted)"}`);
  }
  if (rules.results === "direct") {
    for (let at = 0; at + 1 < shown.length; at++) {
      const before = origin[at];
      const after = origin[at + 1];
      const calls =
        before !== undefined && shown[at]!.parts.some((part) => part.type === "tool-call" && !part.locked);
      if (!calls || after === before + 1) continue;
      // Something was taken out right behind a call: fine only if its results weren't there.
      const followed = structure.pairs.some(
        ({ call, result }) => call.index === before && result.index === before + 1,
      );
      if (followed) breaches.push(`the results of message ${before} don't follow it`);
    }
  }
  return breaches;
}

/** For each shown message its index in the transcript; undefined for one that precis wrote. */
function originOf({ entries, rules }: ViewCheck): (number | undefined)[] {
  return entries.flatMap((entry) => {
    if (entry.type === "keep" || entry.type === "edit") return [entry.index];
    if (entry.type === "insert" && !hidesInSystem(entry, rules)) return [undefined];
    return [];
  });
}

/** Where roles must alternate, none comes behind another that it may not follow, unless the transcript has it so. */
function alternationBreaches(check: ViewCheck): string[] {
  const { shown, rules } = check;
  // Gemini's rule for calls is met by notes wherever there is room for one: a view without that room is better than none.
  if (rules.alternation !== "strict") return [];
  const origin = originOf(check);
  return shown.flatMap((message, at) => {
    const before = shown[at - 1];
    if (before === undefined || mayStandBehind(rules, before, message)) return [];
    const [from, to] = [origin[at - 1], origin[at]];
    if (from !== undefined && to === from + 1) return [];
    const { role } = message;
    return [
      before.role === role
        ? `two messages of role ${role} in a row`
        : `role ${role} behind role ${before.role}`,
    ];
  });
}

/** Does the format take a message right behind another one? */
export function mayStandBehind(
  { alternation }: Pick<DialectRules, "alternation">,
  before: Pick<Message, "role">,
  message: Pick<Message, "role" | "parts">,
): boolean {
  if (alternation === "strict") return mayFollow(before.role, message.role);
  const calls = message.parts.some(({ type }) => type === "tool-call");
  return alternation === undefined || !calls || before.role !== "assistant";
}

/**
 * May a role stand behind another where they must alternate? The model answers results before the user speaks: templates with tools
 * refuse anything else, and in formats that send results in the user's role it would be the second of its role in a row.
 */
export function mayFollow(before: Message["role"], role: Message["role"]): boolean {
  if (role === "user") return before !== "user" && before !== "tool";
  return role !== "assistant" || before !== "assistant";
}

/** Does what precis wrote go into the system prompt instead of standing by itself? */
export function hidesInSystem(
  entry: Extract<Entry, { type: "insert" }>,
  rules: Pick<DialectRules, "system">,
): boolean {
  return entry.merged === true || (entry.message.role === "system" && rules.system === "apart");
}

function roleBreaches({ shown, rules, messages, structure }: ViewCheck): string[] {
  const breaches: string[] = [];
  const first = shown.find((message) => message.role !== "system");
  const original = messages[structure.start];
  if (rules.firstRole !== "any" && first && first.role !== rules.firstRole && original?.role !== first.role)
    breaches.push(`the first message is of role ${first.role}, not ${rules.firstRole}`);
  // A model would go on with its own words instead of answering; several providers refuse that.
  if (shown.at(-1)?.role === "assistant" && messages.at(-1)?.role !== "assistant")
    breaches.push("the view ends with the assistant, the transcript doesn't");
  return breaches;
}

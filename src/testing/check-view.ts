import { isHostNote } from "../core/message-text.ts";
import type { DialectId, Entry, FitResult, Message, Report } from "../core/types.ts";
import { SYSTEM_APART } from "./builders.ts";
import { checkEdit } from "./check-edit.ts";
import { isObject, objects, str } from "./json.ts";
import type { WireFacts } from "./rules/facts.ts";
import { judgeWire, wireFacts } from "./rules/judge-wire.ts";

/** What `checkView` needs to judge one result of `fit` or `compact`. */
export interface CheckViewInput {
  readonly dialect: DialectId;
  /** The transcript that went in: the very array and objects. */
  readonly transcript: readonly unknown[];
  /** `JSON.stringify(transcript)` from before the call: proves that nothing was changed. */
  readonly snapshot?: string;
  /** The system prompt that went in, where the format keeps it apart. */
  readonly system?: unknown;
  /** Indexes of messages that were pinned or marked as knowledge. */
  readonly pinned?: readonly number[];
  readonly extras?: readonly unknown[];
  readonly result: Pick<FitResult<unknown>, "messages" | "system" | "report">;
  /** What the view may use. Left out: `report.budget.budget`. */
  readonly budget?: number;
  /** Tokens of one wire message, counted anew. The system prompt apart comes as `{ role: "system", content }`. */
  readonly count: (message: unknown) => number;
  /** Tokens of a text by the plain tokenizer: a lower bound that no counting rule can argue away. */
  readonly plain?: (text: string) => number;
}

/**
 * Judges a view from the provider's side and returns every breach of the post-conditions as a sentence.
 * An empty list means: valid, within the budget, complete, and the transcript untouched.
 */
export function checkView(given: CheckViewInput): string[] {
  const { restored, input } = withoutRestored(given);
  const { dialect, transcript, result } = input;
  const { messages, report } = result;
  const breaches = checkEntries(report.entries, transcript.length, report.counts);
  const extras = input.extras ?? [];
  const shown = alignShown(input);
  if (shown === undefined) {
    const count = shownEntries(report.entries).length;
    return [...breaches, `receipt: ${messages.length} messages were sent, the entries show ${count}`];
  }

  if (input.snapshot !== undefined && JSON.stringify(transcript) !== input.snapshot)
    breaches.push("purity: the transcript was changed");
  // With a checkpoint, "nothing to gain" leaves the view as it was.
  const untouched = report.outcome === "nothing-to-gain" && report.checkpoint === undefined;
  if ((report.outcome === "pass" || untouched) && extras.length === 0)
    if (
      messages.length !== transcript.length ||
      messages.some((message, at) => !isKept(transcript[at], message))
    )
      breaches.push(`pass-through: outcome ${report.outcome}, but the messages aren't the transcript's own`);

  for (const [at, entry] of shown.entries()) {
    const message = messages[at];
    if (entry.type === "keep" && !isKept(transcript[entry.index], message))
      breaches.push(`same-object: message ${entry.index} is kept, but isn't the very same object`);
    if (entry.type === "edit")
      breaches.push(...checkEdit(dialect, transcript[entry.index], message, entry.edits, entry.index));
    if (entry.type === "insert" && !wireFacts(dialect, message).texts.join("").includes(entry.message.text))
      breaches.push("insert: the inserted text isn't what was sent");
  }
  for (const [at, extra] of extras.entries())
    if (!isKept(extra, messages[shown.length + at]))
      breaches.push(`extras: extra ${at} isn't sent last, untouched`);

  breaches.push(...checkWire(input, shown));
  breaches.push(...checkHead(input, shown));
  breaches.push(...checkLastUserMessage(input, shown));
  breaches.push(...checkTokens(input, restored));
  return breaches;
}

/** Is it the very same object, or the same without precis's own mark, which no provider knows? */
export function isKept(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  const unmarked = JSON.stringify(before, (key, value: unknown) => {
    const isOwn = key === "providerOptions" && Object.keys(value as object).join() === "precis";
    return key === "precis" || isOwn ? undefined : value;
  });
  return unmarked !== JSON.stringify(before) && unmarked === JSON.stringify(after);
}

/** Leading system messages that the host lost stand in front of the view, and in no entry. */
function withoutRestored(input: CheckViewInput): { restored: readonly unknown[]; input: CheckViewInput } {
  const { result, dialect } = input;
  if (!result.report.warnings?.some((warning) => warning.code === "head-restored"))
    return { restored: [], input };
  const shown = shownEntries(result.report.entries).filter(
    (entry) => entry.type !== "insert" || !entry.merged,
  );
  const count = Math.max(0, result.messages.length - shown.length - (input.extras?.length ?? 0));
  const restored = result.messages.slice(0, count);
  if (restored.some((message) => wireFacts(dialect, message).role !== "system"))
    return { restored: [], input };
  return { restored, input: { ...input, result: { ...result, messages: result.messages.slice(count) } } };
}

/** The entries that stand in `messages`, one for one; undefined when the two can't be matched. */
function alignShown(input: CheckViewInput): Entry[] | undefined {
  const isSystemApart = SYSTEM_APART.has(input.dialect);
  // A summary that goes into the system prompt isn't a message of its own.
  const shown = shownEntries(input.result.report.entries).filter(
    (entry) =>
      entry.type !== "insert" || !(entry.merged || (isSystemApart && entry.message.role === "system")),
  );
  return shown.length === input.result.messages.length - (input.extras?.length ?? 0) ? shown : undefined;
}

/** No fault that the transcript didn't have: each fault is known by its kind, its message and its call id. */
function checkWire(input: CheckViewInput, shown: readonly Entry[]): string[] {
  const { dialect, transcript, extras = [] } = input;
  const before = judgeWire(dialect, [...transcript, ...extras]);
  const after = judgeWire(dialect, input.result.messages);
  const indexOf = (at: number): number | "insert" => {
    const entry = shown[at];
    if (entry === undefined) return transcript.length + at - shown.length;
    return entry.type === "insert" ? "insert" : entry.index;
  };
  const whole = new Set(["first-role", "ends-with-assistant", "no-messages"]);
  const name = (kind: string, at: number | string, id: string) =>
    whole.has(kind) ? kind : `${kind} ${at} ${id}`;
  const known = new Set(before.faults.map((fault) => name(fault.kind, fault.at, fault.id)));
  const breaches: string[] = [];
  /** A result of no call was refused before. Beside one that stands closer to its call now, it is that call's second. */
  const was = (kind: string) => (kind === "second-result" ? [kind, "orphan-result"] : [kind]);
  for (const fault of after.faults) {
    const index = indexOf(fault.at);
    if (!was(fault.kind).some((kind) => known.has(name(kind, index, fault.id))))
      breaches.push(`wire: ${fault.kind} at message ${index}${fault.id === "" ? "" : ` (call ${fault.id})`}`);
  }
  for (const [link, partner] of after.partners) {
    const at = Number.parseInt(link, 10);
    const old = before.partners.get(`${indexOf(at)}${link.slice(String(at).length)}`);
    if (old !== undefined && old !== indexOf(partner))
      breaches.push(
        `wire: result ${link} was answered to message ${old}, now to message ${indexOf(partner)}`,
      );
  }
  if (hasLoneSurrogate([input.result.messages, input.result.system]))
    if (!hasLoneSurrogate([transcript, input.system, extras]))
      breaches.push("wire: a character was cut in half (lone surrogate)");
  return breaches;
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return false;
  return Object.values(value).some(hasLoneSurrogate);
}

/** System prompt, leading system messages, pins and knowledge: word for word. */
function checkHead(input: CheckViewInput, shown: readonly Entry[]): string[] {
  const { dialect, transcript, system, result } = input;
  const breaches: string[] = [];
  const head = new Set(input.pinned ?? []);
  for (const [index, message] of transcript.entries()) {
    if (wireFacts(dialect, message).role !== "system") break;
    head.add(index);
  }
  for (const index of head) {
    // Reasoning may be bound to a prefix that no longer is.
    const { texts, calls, results, media, reasoning } = wireFacts(dialect, transcript[index]);
    const words = texts.filter((text) => text.trim() !== "");
    if (reasoning > 0 && words.length + calls.length + results.length + media === 0) continue;
    const entry = shown.find((line) => line.type !== "insert" && line.index === index);
    if (entry === undefined) breaches.push(`head: message ${index} isn't shown`);
    else if (entry.type === "edit" && entry.edits.some((edit) => edit.type === "replace"))
      breaches.push(`head: message ${index} isn't shown word for word`);
  }
  if (system !== undefined && !promptText(result.system).startsWith(promptText(system)))
    breaches.push("head: the system prompt isn't sent word for word");
  return breaches;
}

function promptText(system: unknown): string {
  if (typeof system === "string") return system;
  if (isObject(system)) return promptText(system["content"] ?? system["parts"]);
  return objects(system)
    .map((part) => str(part["text"]))
    .join("\n");
}

/**
 * Index of the newest message in which a person says or shows something. One that also carries tool results belongs
 * to its round; one that begins like a summary may be precis's own, stored by the host. Both count when they come last:
 * then they are what the model is to answer. What a host put in the user's place doesn't count once the model has spoken.
 */
export function lastUserIndex(dialect: DialectId, transcript: readonly unknown[]): number {
  const factsAt = (index: number) => wireFacts(dialect, transcript[index]);
  const spoken = transcript.findLastIndex((_, index) => factsAt(index).role === "assistant");
  let earliest = -1;
  for (let index = transcript.length - 1; index >= 0; index--) {
    const facts = factsAt(index);
    if (facts.role !== "user" || (facts.words.every((text) => text.trim() === "") && facts.media === 0))
      continue;
    const doubtful =
      facts.results.length > 0 ||
      /^<conversation-summary.*<\/conversation-summary>\s*$/s.test(facts.words.join(""));
    if (doubtful && index !== transcript.length - 1) continue;
    if (index > spoken || facts.media > 0 || !isFromHost(factsAt, index)) return index;
    earliest = index;
  }
  return earliest;
}

/** A call stands at most so many messages before what its host wrote for it. */
const FAR_CALL = 200;

function isFromHost(factsAt: (index: number) => WireFacts, index: number): boolean {
  const from = Math.max(0, index - FAR_CALL);
  const messages = Array.from({ length: index - from + 1 }, (_, at): Message => {
    const { role, words, calls, results } = factsAt(from + at);
    return {
      role,
      parts: [
        ...words.map((text) => ({ type: "text" as const, text })),
        ...calls.map(({ id, name }) => ({ type: "tool-call" as const, id, name: name ?? "", args: "" })),
        ...results.map(({ id }) => ({ type: "tool-result" as const, id, text: "" })),
      ],
    };
  });
  return isHostNote(messages, messages.length - 1);
}

function checkLastUserMessage(input: CheckViewInput, shown: readonly Entry[]): string[] {
  const { dialect, transcript, result } = input;
  const index = lastUserIndex(dialect, transcript);
  if (index < 0) return [];
  const at = shown.findIndex((entry) => entry.type !== "insert" && entry.index === index);
  if (at < 0) return [`last-user-message: message ${index} isn't shown`];
  const sent = wireFacts(dialect, result.messages[at]).texts;
  const entry = shown[at];
  const isAppendedTo = entry?.type === "edit" && entry.edits.some((edit) => edit.type === "append");
  const isSent = (text: string) =>
    sent.includes(text) || (isAppendedTo && sent.some((one) => one.startsWith(`${text}\n`)));
  return wireFacts(dialect, transcript[index]).words.every(isSent)
    ? []
    : [`last-user-message: the text of message ${index} isn't shown word for word`];
}

function checkTokens(input: CheckViewInput, restored: readonly unknown[]): string[] {
  const { transcript, system, result, count, plain, dialect } = input;
  const { report } = result;
  const prompt = (value: unknown) =>
    promptText(value) === "" ? 0 : count({ role: "system", content: value });
  const sum = (messages: readonly unknown[]) =>
    messages.reduce<number>((total, message) => total + count(message), 0);
  const budget = input.budget ?? report.budget.budget;
  const after = sum(restored) + sum(result.messages) + prompt(result.system);
  const before = sum(restored) + sum(transcript) + sum(input.extras ?? []) + prompt(system);
  const breaches: string[] = [];
  if (after > budget) breaches.push(`budget: the view has ${after} tokens, the budget is ${budget}`);
  if (after > before) breaches.push(`size: the view has ${after} tokens, the transcript ${before}`);
  if (report.tokens.after !== after)
    breaches.push(`report: says ${report.tokens.after} tokens after, counted ${after}`);
  if (plain !== undefined) {
    let least = 0;
    for (const message of result.messages)
      for (const text of wireFacts(dialect, message).texts) least += plain(text);
    if (least > budget)
      breaches.push(`budget: the view's bare texts have ${least} tokens, the budget is ${budget}`);
  }
  return breaches;
}

/** Entries that the model gets to see, in the order of the wire. */
function shownEntries(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.type !== "drop");
}

/** The receipt by itself: complete, in order, each insert where its last covered message stood. */
function checkEntries(entries: readonly Entry[], length: number, counts: Report["counts"]): string[] {
  const breaches: string[] = [];
  const named = new Map<number, Entry["type"]>();
  for (const entry of entries) {
    if (entry.type === "insert") continue;
    if (named.has(entry.index)) breaches.push(`receipt: message ${entry.index} has two entries`);
    if (!Number.isInteger(entry.index) || entry.index < 0 || entry.index >= length)
      breaches.push(`receipt: message ${entry.index} doesn't exist`);
    named.set(entry.index, entry.type);
  }
  const covered = new Set<number>();
  for (const entry of entries) {
    if (entry.type !== "insert") continue;
    for (const run of entry.covers) {
      if (run.from >= run.to) breaches.push(`receipt: empty run ${run.from}–${run.to}`);
      for (let index = run.from; index < run.to; index++) {
        const type = named.get(index);
        if (type === "drop") breaches.push(`receipt: message ${index} is dropped and covered`);
        if (type !== undefined) continue;
        if (covered.has(index)) breaches.push(`receipt: message ${index} is covered twice`);
        if (index >= length) breaches.push(`receipt: message ${index} is covered but doesn't exist`);
        covered.add(index);
      }
    }
  }
  for (let index = 0; index < length; index++)
    if (!named.has(index) && !covered.has(index))
      breaches.push(`receipt: message ${index} isn't accounted for`);

  const tally = { kept: 0, edited: 0, covered: covered.size, dropped: 0, inserted: 0 };
  const field = { keep: "kept", edit: "edited", drop: "dropped", insert: "inserted" } as const;
  for (const entry of entries) tally[field[entry.type]]++;
  for (const name of Object.keys(tally) as (keyof typeof tally)[])
    if (tally[name] !== counts[name])
      breaches.push(`report: counts.${name} is ${counts[name]}, not ${tally[name]}`);
  return [...breaches, ...checkOrder(entries)];
}

function checkOrder(entries: readonly Entry[]): string[] {
  let previous = -1;
  for (const entry of entries) {
    // What speaks for nothing (a message for this request only, quotations of a summary) stands where it is wanted.
    if (entry.type === "insert" && entry.covers.length === 0) continue;
    const place = entry.type === "insert" ? Math.max(...entry.covers.map((run) => run.to - 1)) : entry.index;
    // An insert may share its place with a kept message that lies inside its run, and then stands behind it.
    if (entry.type === "insert" ? place < previous : place <= previous)
      return [`order: ${entry.type} at ${place} stands behind ${previous}`];
    previous = place;
  }
  return [];
}

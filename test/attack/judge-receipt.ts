import type { Entry, FitResult } from "../../src/core/types.ts";
import type { Look } from "./look.ts";
import type { Wire } from "./wires.ts";

type Insert = Extract<Entry, { type: "insert" }>;
type EditEntry = Extract<Entry, { type: "edit" }>;

/** The receipt names every message once, and what it says is what was sent. */
export function judgeReceipt(
  wire: Wire,
  result: FitResult<object>,
  originals: readonly Look[],
  shown: readonly Look[],
): string[] {
  const { entries } = result.report;
  const faults = timesFaults(wire.messages.length, entries);
  const leading = shown.slice(
    0,
    Math.max(
      0,
      shown.findIndex(({ role }) => role !== "system"),
    ),
  );
  const system = JSON.stringify([result.system ?? "", ...leading.map(({ texts }) => texts)]);
  const toSystem = (entry: Insert): boolean =>
    entry.merged === true || (result.system !== undefined && entry.message.role === "system");
  let last = -1;
  let at = 0;
  for (const entry of entries) {
    if (entry.type === "drop") continue;
    if (entry.type === "insert" && toSystem(entry)) {
      if (!system.includes(inner(entry.message.text))) faults.push("a text isn't in the system prompt");
      continue;
    }
    const message = result.messages[at];
    const seen = shown[at++];
    if (seen === undefined) return [...faults, "the receipt names more messages than were sent"];
    if (entry.type === "insert") {
      if (seen.texts.join("") !== entry.message.text) faults.push("an insert isn't what the receipt says");
      continue;
    }
    if (entry.index <= last) faults.push(`message ${entry.index} is out of order`);
    last = entry.index;
    if (entry.type === "keep" && message !== wire.messages[entry.index])
      faults.push(`message ${entry.index} was kept and isn't the same`);
    if (entry.type === "edit") faults.push(...editFaults(entry, originals[entry.index]!, seen));
  }
  if (at < shown.length) faults.push("more messages were sent than the receipt names");
  return faults;
}

/** A text as it stands inside of JSON. */
const inner = (text: string): string => JSON.stringify(text).slice(1, -1);

function timesFaults(length: number, entries: readonly Entry[]): string[] {
  const times = new Array<number>(length).fill(0);
  for (const entry of entries) {
    if (entry.type !== "insert") times[entry.index]!++;
    else for (const { from, to } of entry.covers) for (let at = from; at < to; at++) times[at]!++;
  }
  return times.flatMap((count, index) =>
    count === 1 ? [] : [`message ${index} stands ${count} times in the receipt`],
  );
}

/** An edit keeps who speaks and what was called, and what it leaves are words of the original. */
function editFaults({ index, edits }: EditEntry, original: Look, shown: Look): string[] {
  const faults: string[] = [];
  const ids = (of: Look) => [...of.calls, ...of.results].map(({ id }) => id).join();
  if (original.role !== shown.role) faults.push(`message ${index} has another role`);
  if (ids(original) !== ids(shown)) faults.push(`message ${index} has other calls or results`);
  const appended = edits.flatMap((edit) => (edit.type === "append" ? [edit.text] : []));
  const source = flat([...original.texts, ...named(original)].join(" "));
  const own = shown.texts.filter((text) => !appended.some((added) => text.includes(added)));
  for (const piece of [...own, ...shown.results.map(({ text }) => text), ...argumentsOf(shown)].flatMap(
    pieces,
  ))
    if (!source.includes(piece) && !PLACEHOLDER.endsWith(piece))
      faults.push(`message ${index} has words of its own: ${piece.slice(0, 80)}`);
  return faults;
}

const named = (of: Look): string[] => [...of.calls, ...of.results].map(({ text }) => text);

/** The texts inside of a call's arguments. */
const argumentsOf = ({ calls }: Look): string[] =>
  calls.flatMap(({ text }) =>
    Object.values(JSON.parse(text.slice(text.indexOf("{"))) as object).filter(
      (value): value is string => typeof value === "string",
    ),
  );

const flat = (text: string): string => text.replace(/\\[nt]?|\s+/g, " ");

/** What stands for a picture; it may be cut like any other text. */
const PLACEHOLDER = "[image 1×1: no longer shown]";

/** Shorter pieces say too little to tell where they come from (characters). */
const PIECE = 12;

/** Runs of text between precis's marks of what was left out, which stand in brackets or are an ellipsis. */
const pieces = (text: string): string[] =>
  text
    .split(/\n|\\n?|…|\.\.\.|\[[^\]\n]*\]/)
    .map((piece) => flat(piece).trim())
    .filter((piece) => piece.length >= PIECE);

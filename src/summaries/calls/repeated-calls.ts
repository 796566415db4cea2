import { editableParts } from "../../core/edits.ts";
import { structureOf } from "../../core/rounds.ts";
import type { Entry, Message, ToolCallPart } from "../../core/types.ts";
import { callKey } from "../../reductions/superseded-results.ts";
import { readArguments, readCall } from "./read-call.ts";

/** Rounds after a compaction in which a call of the same is called a repetition because of it. */
export const ROUNDS = 10;
/** Characters of a call that are shown. */
const MAX_TEXT = 120;

/** What a call is about, as far as another one can be compared with it. */
interface Asked {
  readonly kind: ReturnType<typeof readCall>["kind"];
  readonly key: string;
  readonly file: string | undefined;
  /** The lines of the file that it asks for. */
  readonly lines: readonly [from: number, to: number];
  readonly text: string;
}

/** Notices when an agent asks once more for what a compaction took out of its view. */
export interface RepeatWatch {
  /** The calls of an answer that ask again for something hidden, as people read them. */
  look(calls: readonly ToolCallPart[]): readonly string[];
}

/**
 * Watches what comes after a compaction. Results that the compaction before it hid (`older`), that came again since and are shown, or
 * that a change made old, may be asked for again.
 */
export function watchRepeats(
  messages: readonly Message[],
  entries: readonly Entry[],
  older: readonly Entry[] = [],
): RepeatWatch {
  const hidden = hiddenResults(messages, entries);
  const before = hiddenResults(messages, older);
  let asked: Asked[] = [];
  const { pairs } = structureOf(messages);
  for (const { call, result } of pairs.toSorted((a, b) => a.call.index - b.call.index)) {
    const part = editableParts(messages[call.index]!)[call.part] as ToolCallPart;
    const place = `${result.index}:${result.part}`;
    const now = askedBy(part);
    asked = withoutOld(asked, part).filter((one) => !isAgain(now, one));
    if (hidden.has(place) && !before.has(place) && now.kind !== "edit" && now.kind !== "plan")
      asked.push(now);
  }
  let left = ROUNDS;
  return {
    look(calls) {
      if (calls.length === 0 || left-- <= 0) return [];
      return calls.flatMap((call) => {
        const now = askedBy(call);
        const isRepeated = asked.some((one) => isAgain(now, one));
        asked = withoutOld(asked, call).filter((one) => !isAgain(now, one));
        return isRepeated ? [now.text] : [];
      });
    },
  };
}

function hiddenResults(messages: readonly Message[], entries: readonly Entry[]): ReadonlySet<string> {
  const places = new Set<string>();
  const add = (index: number, isHidden: (part: number) => boolean): void => {
    for (const [part, { type }] of editableParts(messages[index]!).entries())
      if (type === "tool-result" && isHidden(part)) places.add(`${index}:${part}`);
  };
  const shown = new Set(
    entries.flatMap((one) => (one.type === "keep" || one.type === "edit" ? one.index : [])),
  );
  for (const entry of entries) {
    if (entry.type === "drop") add(entry.index, () => true);
    else if (entry.type === "edit")
      add(entry.index, (part) => entry.edits.some((edit) => edit.type === "replace" && edit.part === part));
    else if (entry.type === "insert")
      for (const { from, to } of entry.covers)
        for (let index = from; index < to; index++) if (!shown.has(index)) add(index, () => true);
  }
  return places;
}

function askedBy(call: ToolCallPart): Asked {
  const { kind, file, head } = readCall(call);
  return {
    kind,
    key: callKey(call),
    file: kind === "read" ? file : undefined,
    lines: linesOf(readArguments(call.args)),
    text: head.slice(0, MAX_TEXT),
  };
}

/** The same call, or one for the same lines of the same file, some of them at least. */
function isAgain(now: Asked, before: Asked): boolean {
  if (now.key === before.key) return true;
  return (
    now.file !== undefined &&
    now.file === before.file &&
    now.lines[0] < before.lines[1] &&
    before.lines[0] < now.lines[1]
  );
}

/** What a change leaves: a file that was changed is read again for a good reason, and so is a command run after any change. */
function withoutOld(asked: Asked[], call: ToolCallPart): Asked[] {
  const files = new Set(readCall(call).changes.map(({ file }) => file));
  if (files.size === 0) return asked;
  return asked.filter(({ kind, file }) => kind !== "command" && !(file !== undefined && files.has(file)));
}

const FROM = /^(?:offset|start|from|begin|first|line)(?!.*(?:end|to$))/i;
const COUNT = /^(?:limit|count|length|lines|num|max)/i;
const TO = /^(?:end|to$|until|last)/i;

/** The lines that arguments ask for; all of them where none are named. */
function linesOf(value: unknown): readonly [number, number] {
  let from = 0;
  let count: number | undefined;
  let to = Number.POSITIVE_INFINITY;
  for (const [name, given] of Object.entries(Object(value))) {
    if (Array.isArray(given) && given.length === 2 && given.every(Number.isFinite))
      return [given[0], given[1] < 0 ? to : given[1] + 1];
    const number = typeof given === "string" ? Number.parseInt(given, 10) : given;
    if (typeof number !== "number" || !Number.isFinite(number)) continue;
    if (TO.test(name)) to = number + 1;
    else if (COUNT.test(name)) count = number;
    else if (FROM.test(name)) from = number;
  }
  return [from, count === undefined ? to : from + count];
}

import { addTo } from "../../core/collections.ts";
import { editableParts } from "../../core/edits.ts";
import { leadLength, structureOf } from "../../core/rounds.ts";
import type { Message, Part, Role, ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { EMPTY_TEXT } from "./fields.ts";

/** Messages in a wire format, and the system prompt where the format keeps it apart. */
export interface Encoded<M> {
  readonly messages: M[];
  readonly system?: unknown;
}

/** Stands for the result of a call that was never answered but has messages after it. */
const NO_RESULT = "(no result)";

/** What another format can say. Frames are written as a text, and what no other format has is left out. */
export type ArrangedPart = Exclude<Part, { readonly type: "frame" | "other" }>;

/** A message of one role. Only `tool` messages hold results, only assistant messages hold calls. */
export interface Arranged {
  readonly role: Role;
  readonly parts: readonly ArrangedPart[];
}

/**
 * Messages in the strictest order that any wire format asks for: results in messages of their own right after the
 * message with their calls, every call answered (but for an open last one), every result called for, ids unique.
 */
export function arrange(messages: readonly Message[], losses: Losses): Arranged[] {
  const pieces = joinCalls(withCallIds(messages).flatMap((message) => split(message, losses))).filter(
    (piece) => speaks(piece, losses),
  );
  const waiting = resultsById(pieces);
  const seen = new Map<string, number>();
  const answered = new Set<ToolResultPart>();
  const out: Arranged[] = [];
  pieces.forEach((piece, at) => {
    if (piece.role === "tool") return;
    const calls = piece.parts.filter((part) => part.type === "tool-call");
    if (calls.length === 0) {
      out.push(piece);
      return;
    }
    const results: (ToolResultPart | undefined)[] = [];
    const ids = calls.map((call) => {
      const result = takeResult(waiting.get(call.id), at);
      const id = uniqueId(call.id, seen, losses);
      if (result !== undefined) answered.add(result.part);
      results.push(result && { ...result.part, id, name: call.name });
      return id;
    });
    out.push({ role: "assistant", parts: renameCalls(piece.parts, ids) });
    const open = results.every((result) => result === undefined) && at === pieces.length - 1;
    if (!open)
      out.push({ role: "tool", parts: results.map((r, i) => r ?? noResult(calls[i], ids[i], losses)) });
  });
  return withOrphans(out, pieces, answered, losses);
}

/** The leading system messages of a conversation, and all that follows them. */
export function leadAndRest(
  messages: readonly Arranged[],
): readonly [lead: readonly Arranged[], rest: readonly Arranged[]] {
  const start = leadLength(messages, ({ role }) => role);
  return [messages.slice(0, start), messages.slice(start)];
}

/** Messages of which neighbours with one role are one, beginning with the user's, as some formats want them. */
export function inTurns<P>(
  messages: readonly { readonly role: string; readonly parts: P[] }[],
  { first, losses }: { readonly first: P[]; readonly losses: Losses },
): { readonly role: string; readonly parts: P[] }[] {
  const turns: { readonly role: string; readonly parts: P[] }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    // Not as arguments: a message may have more parts than a function takes.
    if (last?.role === message.role) for (const part of message.parts) last.parts.push(part);
    else turns.push(message);
  }
  if (turns[0]?.role === "assistant" || turns[0]?.role === "model") {
    losses.add("a user message was added before the first one, which must be the user's");
    turns.unshift({ role: "user", parts: first });
  }
  return turns;
}

/** Results of a format whose ids are optional, with the ids of their calls. */
function withCallIds(messages: readonly Message[]): readonly Message[] {
  const isByName = (part: Part) => part.type === "tool-result" && part.byName === true;
  if (!messages.some(({ parts }) => parts.some(isByName))) return messages;
  const ids = new Map<Part, string>();
  for (const { call, result } of structureOf(messages).pairs) {
    const asked = editableParts(messages[call.index]!)[call.part];
    const answer = editableParts(messages[result.index]!)[result.part];
    if (answer && isByName(answer) && asked?.type === "tool-call") ids.set(answer, asked.id);
  }
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      const id = ids.get(part);
      return part.type === "tool-result" && id !== undefined ? { ...part, id } : part;
    }),
  }));
}

/** One message as pieces of one kind each: `[assistant] [tool] [assistant]`, or `[tool] [user]`. */
function split(message: Message, losses: Losses): Arranged[] {
  const pieces: { role: Role; parts: ArrangedPart[] }[] = [];
  for (const part of message.parts) {
    // Providers refuse text without visible characters, or the message that it is all of.
    if (part.type === "text" && part.text.trim() === "") continue;
    if (part.type === "other") {
      losses.add(`a part of type \`${part.kind}\` was left out: no other format has it`);
      continue;
    }
    if (part.type === "frame") losses.add("video frames became a placeholder");
    if ((part.type === "tool-call" || part.type === "tool-result") && part.locked === true) {
      losses.add("a tool that the provider ran was written as a tool that the client ran");
    }
    const role = part.type === "tool-result" ? "tool" : message.role === "tool" ? "user" : message.role;
    const last = pieces.at(-1);
    const arranged: ArrangedPart =
      part.type === "frame" ? { type: "text", text: `[${part.count} frames]` } : part;
    if (last?.role === role) last.parts.push(arranged);
    else pieces.push({ role, parts: [arranged] });
  }
  return pieces;
}

/** Formats with an item per call list what was one message: text, then each of its parallel calls. */
function joinCalls(pieces: readonly Arranged[]): Arranged[] {
  const out: { role: Role; parts: ArrangedPart[] }[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    const joins =
      last?.role === "assistant" &&
      piece.role === "assistant" &&
      (piece.parts.some((part) => part.type === "tool-call") ||
        last.parts.every((part) => part.type === "reasoning"));
    // Not as arguments: a message may have more parts than a function takes.
    if (joins) for (const part of piece.parts) last.parts.push(part);
    else out.push({ role: piece.role, parts: [...piece.parts] });
  }
  return out;
}

/** Reasoning that an interruption left without an answer: no format takes it as a message. */
function speaks(piece: Arranged, losses: Losses): boolean {
  if (piece.parts.some((part) => part.type !== "reasoning")) return true;
  losses.add("a message that held nothing but reasoning was left out");
  return false;
}

interface Waiting {
  readonly at: number;
  readonly part: ToolResultPart;
}

function resultsById(pieces: readonly Arranged[]): Map<string, Waiting[]> {
  const results = new Map<string, Waiting[]>();
  pieces.forEach((piece, at) => {
    for (const part of piece.parts) {
      if (part.type === "tool-result") addTo(results, part.id, { at, part });
    }
  });
  return results;
}

/** The first result after the call that no earlier call has taken. */
function takeResult(list: Waiting[] | undefined, after: number): Waiting | undefined {
  const index = list?.findIndex((result) => result.at > after) ?? -1;
  return index < 0 ? undefined : list?.splice(index, 1)[0];
}

function uniqueId(id: string, seen: Map<string, number>, losses: Losses): string {
  const count = (seen.get(id) ?? 0) + 1;
  seen.set(id, count);
  if (count === 1) return id;
  losses.add("a call id that occurs more than once was made unique");
  return `${id}_${count}`;
}

function renameCalls(parts: readonly ArrangedPart[], ids: readonly string[]): ArrangedPart[] {
  let next = 0;
  return parts.map((part) => (part.type === "tool-call" ? { ...part, id: ids[next++] ?? part.id } : part));
}

function noResult(call: ToolCallPart | undefined, id: string | undefined, losses: Losses): ToolResultPart {
  losses.add(`a call without a result was given the result "${NO_RESULT}"`);
  return { type: "tool-result", id: id ?? "", name: call?.name ?? "", text: NO_RESULT, error: true };
}

/** Results that no call asked for become the user's text, where they stood. */
function withOrphans(
  out: readonly Arranged[],
  pieces: readonly Arranged[],
  answered: ReadonlySet<ToolResultPart>,
  losses: Losses,
): Arranged[] {
  const orphans = pieces.flatMap((piece, at) =>
    piece.parts.flatMap((part) => (part.type === "tool-result" && !answered.has(part) ? [{ at, part }] : [])),
  );
  if (orphans.length === 0) return [...out];
  // Where each piece that isn't a result went, to find the place of what stood after it.
  const placed = pieces.flatMap((piece, at) => (piece.role === "tool" ? [] : [at]));
  const next: Arranged[] = [];
  let piece = 0;
  for (const message of out) {
    if (message.role !== "tool") {
      const at = placed[piece] ?? 0;
      while (orphans[0] !== undefined && orphans[0].at < at)
        next.push(orphanText(orphans.shift()?.part, losses));
      piece += 1;
    }
    next.push(message);
  }
  return [...next, ...orphans.map((orphan) => orphanText(orphan.part, losses))];
}

function orphanText(part: ToolResultPart | undefined, losses: Losses): Arranged {
  losses.add("a result without a call was written as text of the user");
  const text = `[result of the call ${part?.id}]\n${part?.text || EMPTY_TEXT}`;
  return { role: "user", parts: [{ type: "text", text }, ...(part?.media ?? [])] };
}

/** Collects what a conversion lost, each kind once with how often it happened. */
export interface Losses {
  add(what: string): void;
  list(): string[];
}

export function createLosses(): Losses {
  const counts = new Map<string, number>();
  return {
    add(what) {
      counts.set(what, (counts.get(what) ?? 0) + 1);
    },
    list() {
      return [...counts].map(([what, count]) => (count === 1 ? what : `${what} (${count} times)`));
    },
  };
}

import type { Dialect, DropReason, Edit, Entry, InsertMessage, Run, SummaryCheck } from "./types.ts";

/** What happens to one message of the transcript. */
export type Fate =
  | { readonly type: "keep" }
  | { readonly type: "edit"; readonly edits: readonly Edit[] }
  | { readonly type: "cover"; readonly by: number }
  | { readonly type: "drop"; readonly reason: DropReason };

/** A message that precis writes; `covers` follows from the fates. */
export interface Insert {
  readonly message: InsertMessage;
  /** Goes into the system prompt instead of standing by itself. */
  readonly merged?: true;
  /** Where an insert that covers nothing stands: before the message of this index. */
  readonly before?: number;
  /** For the report of the compaction that made it. */
  readonly check?: SummaryCheck;
}

/** A view in the making: one fate per transcript message, and the inserts that `cover` fates refer to. */
export interface Draft {
  readonly fates: readonly Fate[];
  readonly inserts: readonly Insert[];
}

export const KEEP: Fate = { type: "keep" };

/** Shown in the view, whole or edited. */
export function isShown(fate: Fate): boolean {
  return fate.type === "keep" || fate.type === "edit";
}

export function keepAll(length: number): Draft {
  return { fates: new Array<Fate>(length).fill(KEEP), inserts: [] };
}

/** The draft as entries: every message once, each insert where the last message that it covers stood. */
export function entriesOf(draft: Draft): Entry[] {
  const covers = coversOf(draft);
  const after = new Map<number, number[]>();
  for (const [by, insert] of draft.inserts.entries()) {
    const last = covers[by]!.at(-1);
    const at = last ? last.to - 1 : (insert.before ?? 0) - 1;
    after.set(at, [...(after.get(at) ?? []), by]);
  }
  const entries: Entry[] = [];
  const place = (index: number) => {
    const placed = after.get(index);
    if (placed === undefined) return;
    for (const by of placed) {
      const { message, merged } = draft.inserts[by]!;
      entries.push({ type: "insert", message, covers: covers[by]!, ...(merged && { merged }) });
    }
  };
  place(-1);
  for (let index = 0; index < draft.fates.length; index++) {
    const fate = draft.fates[index]!;
    if (fate.type === "keep") entries.push({ type: "keep", index });
    else if (fate.type === "edit") entries.push({ type: "edit", index, edits: fate.edits });
    else if (fate.type === "drop") entries.push({ type: "drop", index, reason: fate.reason });
    if (after.size > 0) place(index);
  }
  return entries;
}

/** For each insert the runs of messages that it speaks for. */
export function coversOf(draft: Draft): Run[][] {
  const covers: { from: number; to: number }[][] = draft.inserts.map(() => []);
  for (let index = 0; index < draft.fates.length; index++) {
    const fate = draft.fates[index]!;
    if (fate.type !== "cover") continue;
    const runs = covers[fate.by]!;
    const last = runs.at(-1);
    if (last?.to === index) last.to = index + 1;
    else runs.push({ from: index, to: index + 1 });
  }
  return covers;
}

/** The draft with other fates for some messages. */
export function withFates(draft: Draft, changes: ReadonlyMap<number, Fate>): Draft {
  if (changes.size === 0) return draft;
  return { ...draft, fates: draft.fates.map((fate, index) => changes.get(index) ?? fate) };
}

/** The draft without some of its inserts; none of them may speak for a message. */
export function withoutInserts(draft: Draft, leaves: (insert: Insert, by: number) => boolean): Draft {
  const stays = draft.inserts.map((insert, by) => !leaves(insert, by));
  if (stays.every(Boolean)) return draft;
  const place = new Map<number, number>();
  for (const by of stays.keys()) if (stays[by]) place.set(by, place.size);
  return {
    inserts: draft.inserts.filter((_insert, by) => stays[by]),
    fates: draft.fates.map((fate) => (fate.type === "cover" ? { ...fate, by: place.get(fate.by)! } : fate)),
  };
}

/** Between a system prompt and what is appended to it. */
const SYSTEM_GLUE = "\n\n";

/** A view in wire form. */
export interface Rendered<M> {
  readonly messages: M[];
  readonly system: unknown;
}

/**
 * The entries as wire messages. What is kept leaves as the very same object, unless it carries a mark of precis's own, which no
 * provider knows. In a format that keeps the system prompt apart, inserted system messages go into it.
 */
export function renderView<M>(options: {
  readonly dialect: Dialect<M>;
  readonly transcript: readonly M[];
  readonly entries: readonly Entry[];
  readonly system: unknown;
  readonly extras?: readonly M[] | undefined;
}): Rendered<M> {
  const { dialect, transcript, entries } = options;
  const messages: M[] = [];
  const unmarked = (message: M): M => dialect.unmarked?.(message) ?? message;
  let system = options.system;
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!;
    switch (entry.type) {
      case "keep":
        messages.push(unmarked(transcript[entry.index]!));
        break;
      case "edit":
        messages.push(unmarked(dialect.edit(transcript[entry.index]!, entry.edits)));
        break;
      case "insert":
        if (entry.message.role === "system" && dialect.rules.system === "apart") {
          system = appendSystem(dialect, system, entry.message.text);
        } else if (!entry.merged) messages.push(dialect.write(entry.message));
        break;
      case "drop":
        break;
      default:
        entry satisfies never;
    }
  }
  if (options.extras) messages.push(...options.extras.map(unmarked));
  return { messages, system };
}

/** The system prompt of a format that keeps it apart, as a message that the dialect can read and edit. */
export function systemMessage<M>(system: unknown): M {
  return { role: "system", content: system } as M;
}

/** A system prompt of a format that keeps it apart, with a text behind it. */
export function appendSystem<M>(dialect: Dialect<M>, system: unknown, text: string): unknown {
  if (system === undefined || system === null || system === "") return text;
  if (typeof system === "string") return `${system}${SYSTEM_GLUE}${text}`;
  const edited = dialect.edit(systemMessage<M>(system), [{ type: "append", text, why: "summary" }]);
  return (edited as { content: unknown }).content;
}

import type { ApiView, Run, ViewEntry } from "../../../src/gateway/api.ts";

/** What became of one message, with what a person wants to know about it. */
export type Lot =
  | { readonly type: "kept"; readonly entry: Extract<ViewEntry, { type: "keep" }> }
  | { readonly type: "edited"; readonly entry: Extract<ViewEntry, { type: "edit" }> }
  | { readonly type: "covered"; readonly by: number; readonly tokens: number }
  | { readonly type: "dropped"; readonly entry: Extract<ViewEntry, { type: "drop" }> };

export type ViewRow =
  /** A system prompt that stands apart from the messages. */
  | { readonly type: "system"; readonly tokens: number }
  | { readonly type: "message"; readonly index: number; readonly lot: Lot }
  /** Messages of one fate in a row, folded into one line. */
  | {
      readonly type: "run";
      readonly run: Run;
      readonly lot: "covered" | "dropped";
      readonly by?: number;
      readonly tokens: number;
    }
  | {
      readonly type: "insert";
      readonly number: number;
      readonly entry: Extract<ViewEntry, { type: "insert" }>;
    };

/** Runs at least this long are folded until a person opens them. */
const FOLD_FROM = 4;

/** What a message has in the transcript, whatever became of it. */
export function originalTokens(lot: Lot): number {
  if (lot.type === "covered") return lot.tokens;
  return lot.type === "edited" ? lot.entry.original : lot.entry.tokens;
}

/** Transcript and view side by side: every message once, in order, with what stands for it on the other side. */
export function alignView(
  view: Pick<ApiView, "entries" | "system">,
  opened: ReadonlySet<number>,
): readonly ViewRow[] {
  const lots = new Map<number, Lot>();
  const inserts: { number: number; entry: Extract<ViewEntry, { type: "insert" }>; after: number }[] = [];
  let last = -1;
  for (const [number, entry] of view.entries.entries()) {
    if (entry.type === "insert") {
      const after = entry.covers.reduce((most, run) => Math.max(most, run.to - 1), last);
      inserts.push({ number, entry, after });
      let nth = 0;
      for (const run of entry.covers)
        for (let index = run.from; index < run.to; index += 1, nth += 1)
          if (!lots.has(index))
            lots.set(index, { type: "covered", by: number, tokens: entry.originals[nth] ?? 0 });
      continue;
    }
    last = entry.index;
    if (entry.type === "keep") lots.set(entry.index, { type: "kept", entry });
    else if (entry.type === "edit") lots.set(entry.index, { type: "edited", entry });
    else lots.set(entry.index, { type: "dropped", entry });
  }
  const rows: ViewRow[] = view.system > 0 ? [{ type: "system", tokens: view.system }] : [];
  const indexes = [...lots.keys()].sort((a, b) => a - b);
  inserts.sort((a, b) => a.after - b.after);
  let nextInsert = 0;
  const flushInserts = (upTo: number) => {
    for (; nextInsert < inserts.length && inserts[nextInsert]!.after <= upTo; nextInsert += 1) {
      const { number, entry } = inserts[nextInsert]!;
      rows.push({ type: "insert", number, entry });
    }
  };
  flushInserts(-1);
  for (let n = 0; n < indexes.length; ) {
    const index = indexes[n]!;
    const lot = lots.get(index)!;
    if (lot.type === "covered" || lot.type === "dropped") {
      let end = n + 1;
      while (
        end < indexes.length &&
        indexes[end] === indexes[end - 1]! + 1 &&
        isSame(lots.get(indexes[end]!)!, lot)
      ) {
        // An insert between two covered messages ends the run.
        if (inserts[nextInsert] !== undefined && inserts[nextInsert]!.after < indexes[end]!) break;
        end += 1;
      }
      if (end - n >= FOLD_FROM && !opened.has(index)) {
        const run = { from: index, to: indexes[end - 1]! + 1 };
        const tokens = indexes.slice(n, end).reduce((sum, one) => sum + originalTokens(lots.get(one)!), 0);
        rows.push(
          lot.type === "covered"
            ? { type: "run", run, lot: "covered", by: lot.by, tokens }
            : { type: "run", run, lot: "dropped", tokens },
        );
        flushInserts(run.to - 1);
        n = end;
        continue;
      }
      for (; n < end; n += 1) {
        rows.push({ type: "message", index: indexes[n]!, lot: lots.get(indexes[n]!)! });
        flushInserts(indexes[n]!);
      }
      continue;
    }
    rows.push({ type: "message", index, lot });
    flushInserts(index);
    n += 1;
  }
  flushInserts(Number.POSITIVE_INFINITY);
  return rows;
}

const isSame = (a: Lot, b: Lot) =>
  a.type === b.type && (a.type !== "covered" || (b.type === "covered" && a.by === b.by));

export interface Tally {
  readonly kept: number;
  readonly edited: number;
  readonly covered: number;
  readonly dropped: number;
}

/** How many messages met which fate. */
export function tally(view: Pick<ApiView, "entries">): Tally {
  const seen = { kept: 0, edited: 0, covered: 0, dropped: 0 };
  const shown = new Set<number>();
  for (const entry of view.entries) {
    if (entry.type === "insert") continue;
    shown.add(entry.index);
    seen[entry.type === "keep" ? "kept" : entry.type === "edit" ? "edited" : "dropped"] += 1;
  }
  const covered = new Set<number>();
  for (const entry of view.entries) {
    if (entry.type !== "insert") continue;
    for (const run of entry.covers)
      for (let index = run.from; index < run.to; index += 1) if (!shown.has(index)) covered.add(index);
  }
  return { ...seen, covered: covered.size };
}

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

/** What became of each message, by its index. What is shown counts as shown, also where a summary speaks of it, too. */
function lotsOf({ entries }: Pick<ApiView, "entries">): ReadonlyMap<number, Lot> {
  const lots = new Map<number, Lot>();
  for (const [number, entry] of entries.entries()) {
    if (entry.type === "keep") lots.set(entry.index, { type: "kept", entry });
    else if (entry.type === "edit") lots.set(entry.index, { type: "edited", entry });
    else if (entry.type === "drop") lots.set(entry.index, { type: "dropped", entry });
    else {
      let nth = 0;
      for (const run of entry.covers)
        for (let index = run.from; index < run.to; index += 1, nth += 1)
          if (!lots.has(index))
            lots.set(index, { type: "covered", by: number, tokens: entry.originals[nth] ?? 0 });
    }
  }
  return lots;
}

/** Transcript and view side by side: every message once, in order, with what stands for it on the other side. */
export function alignView(
  view: Pick<ApiView, "entries" | "system">,
  opened: ReadonlySet<number>,
): readonly ViewRow[] {
  const inserts: { readonly row: ViewRow; readonly after: number }[] = [];
  let last = -1;
  for (const [number, entry] of view.entries.entries()) {
    if (entry.type !== "insert") {
      last = entry.index;
      continue;
    }
    const after = entry.covers.reduce((most, run) => Math.max(most, run.to - 1), last);
    inserts.push({ row: { type: "insert", number, entry }, after });
  }
  const messages = [...lotsOf(view)].map(([index, lot]) => ({
    row: { type: "message", index, lot } as const,
    after: index,
  }));
  // What is inserted stands behind the message that it comes after: sorting keeps the order of equals.
  const rows = [...messages, ...inserts].sort((a, b) => a.after - b.after).map(({ row }) => row);
  return [
    ...(view.system > 0 ? [{ type: "system", tokens: view.system } as const] : []),
    ...fold(rows, opened),
  ];
}

/** Folds long runs of one fate, unless they are opened. */
function fold(rows: readonly ViewRow[], opened: ReadonlySet<number>): readonly ViewRow[] {
  const folded: ViewRow[] = [];
  for (let n = 0; n < rows.length; ) {
    const run = [rows[n]!];
    while (n + run.length < rows.length && goesOn(run.at(-1)!, rows[n + run.length]!))
      run.push(rows[n + run.length]!);
    n += run.length;
    const [first] = run;
    if (run.length < FOLD_FROM || first?.type !== "message" || opened.has(first.index))
      for (const row of run) folded.push(row);
    else folded.push(runOf(run.filter((row) => row.type === "message")));
  }
  return folded;
}

function goesOn(a: ViewRow, b: ViewRow): boolean {
  if (a.type !== "message" || b.type !== "message" || b.index !== a.index + 1) return false;
  if (a.lot.type === "covered") return b.lot.type === "covered" && a.lot.by === b.lot.by;
  return a.lot.type === "dropped" && b.lot.type === "dropped";
}

function runOf(rows: readonly Extract<ViewRow, { type: "message" }>[]): ViewRow {
  const { index: from, lot } = rows[0]!;
  const tokens = rows.reduce((sum, row) => sum + originalTokens(row.lot), 0);
  const run = { from, to: from + rows.length };
  return lot.type === "covered"
    ? { type: "run", run, lot: "covered", by: lot.by, tokens }
    : { type: "run", run, lot: "dropped", tokens };
}

/** How many messages met which fate, and the tokens that they have in the transcript. */
export function tally(
  view: Pick<ApiView, "entries">,
): Readonly<Record<Lot["type"], { readonly messages: number; readonly tokens: number }>> {
  const none = { messages: 0, tokens: 0 };
  const sums = { kept: none, edited: none, covered: none, dropped: none };
  for (const lot of lotsOf(view).values()) {
    const { messages, tokens } = sums[lot.type];
    sums[lot.type] = { messages: messages + 1, tokens: tokens + originalTokens(lot) };
  }
  return sums;
}

/** What messages have in the transcript, whatever became of them. */
export const tokensOf = (view: Pick<ApiView, "entries">, runs: readonly Run[]): number =>
  [...lotsOf(view)].reduce(
    (sum, [index, lot]) =>
      runs.some(({ from, to }) => index >= from && index < to) ? sum + originalTokens(lot) : sum,
    0,
  );

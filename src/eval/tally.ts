import { addTo } from "../core/collections.ts";
import { type Estimate, estimate, pairedDifference, type SessionObservation } from "./bootstrap.ts";
import { unescapeNewlines } from "./message-text.ts";
import type { EvalCase, RetentionMeasure, ScoredView, WordIndex } from "./types.ts";
import { indexWords } from "./words.ts";

/** What a contestant is called. */
interface Named {
  readonly id: string;
  readonly label: string;
}

/** One contestant on one set at one budget. */
export interface RetentionRow {
  readonly contestant: string;
  readonly label: string;
  /** A share of what is compacted, or `recorded`. */
  readonly budget: string;
  /** Mean size of the views, in tokens. */
  readonly tokens: number;
  /** Mean share of the budget that the views fill. */
  readonly filled: number;
  /** Views that are larger than their budget. */
  readonly over: number;
  /** Cases on which it threw; scored as an empty view. */
  readonly failed: number;
  readonly error?: string;
  readonly measures: Readonly<Record<string, Estimate>>;
  /** Where it threw on some cases: the measures over the others. */
  readonly otherwise?: Readonly<Record<string, Estimate>>;
}

/** How far one contestant is above another, session by session. */
export interface RetentionDifference {
  readonly budget: string;
  readonly contestant: string;
  readonly against: string;
  readonly measures: Readonly<Record<string, Estimate>>;
}

/** What one contestant left at one budget, before it is summed up. */
export interface Tally {
  readonly contestant: Named;
  readonly budget: string;
  readonly observations: Map<string, SessionObservation[]>;
  /** Those of views, without the cases on which it threw. */
  readonly delivered: Map<string, SessionObservation[]>;
  tokens: number;
  filled: number;
  views: number;
  over: number;
  failed: number;
  error: string | undefined;
}

/** One view, as it came back. */
export interface Delivered {
  readonly text: string;
  /** Tokens of the text, and how many it might have. */
  readonly tokens: number;
  readonly budget: number;
  readonly error?: unknown;
}

/** Tallies by contestant and budget, in the order in which they were first asked for. */
export function createTallies(measures: readonly RetentionMeasure[]) {
  const tallies = new Map<string, Tally>();

  function tallyOf(contestant: Named, budget: string): Tally {
    const key = JSON.stringify([budget, contestant.id]);
    let tally = tallies.get(key);
    if (!tally) {
      tally = {
        contestant,
        budget,
        observations: new Map(),
        delivered: new Map(),
        tokens: 0,
        filled: 0,
        views: 0,
        over: 0,
        failed: 0,
        error: undefined,
      };
      tallies.set(key, tally);
    }
    return tally;
  }

  return {
    /** Scores a view and remembers the result. */
    add(contestant: Named, budget: string, evalCase: EvalCase, delivered: Delivered): void {
      const tally = tallyOf(contestant, budget);
      tally.views++;
      tally.tokens += delivered.tokens;
      tally.filled += delivered.tokens / delivered.budget;
      if (delivered.tokens > delivered.budget) tally.over++;
      if (delivered.error !== undefined) {
        tally.failed++;
        tally.error ??= delivered.error instanceof Error ? delivered.error.message : String(delivered.error);
      }
      // Probes are prose: there a backslash and an n are what somebody wrote.
      const view = scoredView(evalCase.type === "agent" ? unescapeNewlines(delivered.text) : delivered.text);
      for (const measure of measures) {
        const observation = measure.observe(evalCase, view);
        if (!observation) continue;
        const one = { ...observation, session: evalCase.session };
        addTo(tally.observations, measure.id, one);
        if (delivered.error === undefined) addTo(tally.delivered, measure.id, one);
      }
    },
    /** Measures that at least one case had something to say about. */
    measures: () =>
      measures
        .filter((measure) => [...tallies.values()].some((tally) => tally.observations.has(measure.id)))
        .map(({ id, label, about, better }) => ({ id, label, about, better })),
    rows: (): RetentionRow[] => [...tallies.values()].map(rowOf),
    /** The contestant that came first, against each other one. */
    differences: (): RetentionDifference[] => differencesOf([...tallies.values()]),
  };
}

function rowOf(tally: Tally): RetentionRow {
  return {
    contestant: tally.contestant.id,
    label: tally.contestant.label,
    budget: tally.budget,
    tokens: tally.tokens / tally.views,
    filled: tally.filled / tally.views,
    over: tally.over,
    failed: tally.failed,
    ...(tally.error !== undefined && { error: tally.error }),
    measures: estimates(tally.observations, (list) => estimate(list)),
    ...(tally.failed > 0 &&
      tally.failed < tally.views && { otherwise: estimates(tally.delivered, (list) => estimate(list)) }),
  };
}

function differencesOf(tallies: readonly Tally[]): RetentionDifference[] {
  const first = tallies[0]?.contestant.id;
  return tallies
    .filter((tally) => tally.contestant.id !== first)
    .flatMap((other) => {
      const own = tallies.find((tally) => tally.contestant.id === first && tally.budget === other.budget);
      if (!own) return [];
      const measures = estimates(own.observations, (list, id) =>
        pairedDifference(list, other.observations.get(id) ?? []),
      );
      return [
        { budget: other.budget, contestant: own.contestant.id, against: other.contestant.id, measures },
      ];
    });
}

function estimates(
  observations: ReadonlyMap<string, SessionObservation[]>,
  make: (list: readonly SessionObservation[], id: string) => Estimate | undefined,
): Record<string, Estimate> {
  const result: Record<string, Estimate> = {};
  for (const [id, list] of observations) {
    const made = make(list, id);
    if (made) result[id] = made;
  }
  return result;
}

/** The view with what the measures need of it, made at most once. */
export function scoredView(text: string): ScoredView {
  let words: WordIndex | undefined;
  return { text, words: () => (words ??= indexWords(text)) };
}

/** The rows of a set, without contestants that do the same as another in all of them: those are named in a sentence each. */
export function distinctRows(rows: readonly RetentionRow[]): {
  readonly rows: readonly RetentionRow[];
  readonly same: readonly string[];
} {
  const figures = new Map<string, string>();
  for (const { contestant, label: _, error: __, ...row } of rows)
    figures.set(contestant, (figures.get(contestant) ?? "") + JSON.stringify(row));
  const labels = new Map(rows.map(({ contestant, label }) => [contestant, label]));
  const first = new Map<string, string>();
  const same: string[] = [];
  for (const [contestant, figure] of figures) {
    const twin = first.get(figure);
    if (twin === undefined) first.set(figure, contestant);
    else same.push(`${labels.get(contestant)}: the same figures as ${labels.get(twin)}`);
  }
  const shown = new Set(first.values());
  return { rows: rows.filter(({ contestant }) => shown.has(contestant)), same };
}

import { wireFacts } from "../../src/testing/index.ts";

/** What stands in a wire message, as the rule book of the tests reads it: nothing of what it judges is used. */
export interface Look {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly texts: readonly string[];
  readonly calls: readonly Named[];
  readonly results: readonly Named[];
  readonly thoughts: readonly string[];
  readonly images: number;
  /** Types of the parts, in order. */
  readonly kinds: readonly string[];
}

export interface Named {
  readonly id: string;
  readonly text: string;
}

/**
 * Indexes of a message's round: the assistant's messages in a row, the results behind them, results that came late, and
 * what stands between.
 */
export function roundAt(looks: readonly Look[], index: number): number[] {
  const isResult = (at: number): boolean => (looks[at]?.results.length ?? 0) > 0;
  const isAssistant = (at: number): boolean => looks[at]?.role === "assistant";
  let from = index;
  let to = index;
  for (let size = 0; size <= to - from; ) {
    size = to - from + 1;
    const within = looks.slice(from, to + 1);
    const ids = new Set(within.flatMap(({ calls, results }) => [...calls, ...results].map(({ id }) => id)));
    const isOne = ({ calls, results }: Look): boolean => [...calls, ...results].some(({ id }) => ids.has(id));
    if (ids.size > 0) {
      from = Math.min(from, looks.findIndex(isOne));
      to = Math.max(to, looks.findLastIndex(isOne));
    }
    while (from > 0 && isResult(from)) from--;
    while (isAssistant(from) && isAssistant(from - 1)) from--;
    while (isAssistant(to) && isAssistant(to + 1)) to++;
    while (isResult(to + 1)) to++;
  }
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

export function look(dialect: string, message: object): Look {
  const { role, own, calls, results, thoughts, images, kinds } = wireFacts(dialect, message);
  const named = calls.map(({ id, name = "", text }) => ({ id, text: name + text }));
  return { role, texts: own, calls: named, results, thoughts, images, kinds };
}

/** A citation as a text writes it. */
export interface FoundCitation {
  /** The same for every way of writing the same citation: `3`, `^4`, `†7`. */
  readonly key: string;
  /** How it is written alone: `[3]`, `[^4]`, `【7†source】`. */
  readonly text: string;
}

/** `[3]`, `[1, 2]`, `[3-5]`, `[^4]`, `【7†source】`; with what joins two of them into a range. Longer numbers are years. */
const CITATION =
  /\[(\^?)(\d{1,3}(?:\s?[,;–-]\s?\^?\d{1,3}){0,30})\](?:\s?([–-])\s?(?=\[\^?\d))?|【(\d{1,3})(?:[:†][^】\n]{0,120})?】/g;
/** Longer "ranges" are sizes or line numbers. */
const MAX_RANGE = 30;
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;

/** The citations of a text of prose, in order, each once. Code is left out: `rows[3]` is no citation. */
export function findCitations(text: string): FoundCitation[] {
  if (!text.includes("[") && !text.includes("【")) return [];
  const found = new Map<string, FoundCitation>();
  const add = (style: "" | "^", number: number): void => {
    const key = `${style}${number}`;
    if (!found.has(key)) found.set(key, { key, text: `[${key}]` });
  };
  /** First number of a range that goes on in the next brackets: `[3]–[5]`. */
  let open: number | undefined;
  for (const match of text.replace(CODE, " ").matchAll(CITATION)) {
    const [whole, caret, list, joiner, source] = match;
    if (source !== undefined) {
      const key = `†${Number(source)}`;
      if (!found.has(key)) found.set(key, { key, text: whole.includes("†") ? whole : `【${source}】` });
      open = undefined;
      continue;
    }
    const style = caret === "^" ? "^" : "";
    const numbers = expand(list ?? "");
    const [first] = numbers;
    if (open !== undefined && first !== undefined && first > open && first - open <= MAX_RANGE)
      for (let number = open + 1; number < first; number++) add(style, number);
    for (const number of numbers) add(style, number);
    open = joiner === undefined ? undefined : numbers.at(-1);
  }
  return [...found.values()];
}

/** `1, 3-5` → 1, 3, 4, 5. */
function expand(list: string): number[] {
  const numbers: number[] = [];
  for (const item of list.split(/[,;]/)) {
    const [from, to] = item.split(/[–-]/).map((number) => Number(number.replace(/[\s^]/g, "")));
    if (from === undefined) continue;
    if (to !== undefined && to > from && to - from <= MAX_RANGE)
      for (let number = from; number <= to; number++) numbers.push(number);
    else numbers.push(from, ...(to === undefined ? [] : [to]));
  }
  return numbers;
}

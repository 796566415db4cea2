import { characterClass, DENSE, WORD } from "../text/look-alikes.ts";

/**
 * Terms: what a line is about. A term is a run of word characters (path and identifier joiners included), and each of its
 * parts, so that showing a long path also counts as showing the file name in it.
 */

/** Shorter runs of spaced scripts are mostly glue words and punctuation. */
const MIN_TERM_LENGTH = 4;
const MIN_DENSE_LENGTH = 2;
/** Longer runs are encoded data, not names. */
const MAX_TERM_LENGTH = 160;

export type Shape = "path" | "dotted" | "name" | "digits" | "joined" | "capitalised" | "plain" | "dense";

/** The form of a term: a path, a dotted name, a compound identifier, … */
export function shapeOf(term: string): Shape {
  if (term.includes("/")) return /[^/]\/[^/]|^[~.]?\/[^/]{3}/.test(term) ? "path" : "joined";
  if (/[^.]\.[^.\d]/.test(term)) return "dotted";
  if (/[^_]_[^_]/.test(term) || /[\p{Ll}\d]\p{Lu}/u.test(term)) return "name";
  if (/\d/.test(term)) return "digits";
  if (/[-.~@$_]/.test(term)) return "joined";
  if (/^\p{Lu}/u.test(term)) return "capitalised";
  return "plain";
}

let segmenter: Intl.Segmenter | undefined;

function denseWords(run: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    if (isWordLike && segment.length >= MIN_DENSE_LENGTH) words.push(segment);
  }
  return words;
}

const TRIM_END = /[-./~@$]+$/;
const TRIM_START = /^-+|^\.+(?![\w/.])/;
const PART_SEPARATOR = /[/._~@$-]+/;

/**
 * Terms that a table holds, and runs of characters that it remembers. No conversation that people have comes near: a text of
 * nothing but new words does, and a larger map takes seconds whenever it grows.
 */
const MOST_TERMS = 1_000_000;
const MOST_RUNS = 250_000;

/** A growing table of terms, each known by a small number. */
export class TermTable {
  readonly terms: string[] = [];
  readonly shapes: Shape[] = [];
  readonly hasDigit: boolean[] = [];
  readonly #ids = new Map<string, number>();
  /** Run of characters → ids of the term and its parts. Most runs of a transcript are repeats. */
  readonly #runs = new Map<string, readonly number[]>();
  /** By term: the last scan that met it. */
  readonly #met: number[] = [];
  #scans = 0;

  /** Undefined for a new term of a full table. */
  #id(term: string, shape: Shape): number | undefined {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.terms.length;
    if (id >= MOST_TERMS) return undefined;
    this.#ids.set(term, id);
    this.terms.push(term);
    this.shapes.push(shape);
    this.hasDigit.push(/\d/.test(term));
    this.#met.push(0);
    return id;
  }

  #idsOf(run: string, kind: number): readonly number[] {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    // Rules of dashes and encoded data: nothing to find, and patterns would take long on them.
    if (kind === WORD && run.length > 2 * MAX_TERM_LENGTH) return [];
    const ids =
      kind === WORD ? this.#wordIds(run) : denseWords(run).flatMap((word) => this.#id(word, "dense") ?? []);
    if (this.#runs.size >= MOST_RUNS) this.#runs.clear();
    this.#runs.set(run, ids);
    return ids;
  }

  #wordIds(run: string): number[] {
    const ids: number[] = [];
    const term = run.replace(TRIM_END, "").replace(TRIM_START, "");
    const add = (text: string) => {
      const id = this.#id(text, shapeOf(text));
      if (id !== undefined && !ids.includes(id)) ids.push(id);
    };
    if (term.length <= MAX_TERM_LENGTH) {
      // Scripts beyond ASCII pack more meaning into a letter (Korean), so two are enough there.
      if (term.length >= MIN_TERM_LENGTH || (term.length >= MIN_DENSE_LENGTH && term.charCodeAt(0) > 0x2ff))
        add(term);
      if (PART_SEPARATOR.test(term)) {
        if (term.includes("/")) {
          for (const segment of term.split("/")) if (segment.length >= MIN_TERM_LENGTH) add(segment);
        }
        for (const part of term.split(PART_SEPARATOR)) if (part.length >= MIN_TERM_LENGTH) add(part);
      }
    }
    return ids;
  }

  /** Ids of the distinct terms of a text, in order of appearance. */
  scan(text: string): number[] {
    const found: number[] = [];
    const scan = ++this.#scans;
    const length = text.length;
    let at = 0;
    while (at < length) {
      const kind = characterClass(text.charCodeAt(at));
      let end = at + 1;
      if (kind === WORD || kind === DENSE) {
        while (end < length && characterClass(text.charCodeAt(end)) === kind) end++;
        if (end - at >= MIN_DENSE_LENGTH) {
          const run = text.slice(at, end);
          for (const id of this.#idsOf(run, kind)) {
            if (this.#met[id] === scan) continue;
            this.#met[id] = scan;
            found.push(id);
          }
        }
      }
      at = end;
    }
    return found;
  }
}

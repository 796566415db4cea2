import { compilePattern, type Step } from "./compile.ts";
import { parsePattern } from "./parse.ts";

/**
 * Regular expressions of strangers, in time that grows with the length of the text and not with its exponent: all ways to
 * match are followed side by side, and none is tried twice. JavaScript's own ones can be made to run for years.
 */
export interface LinearPattern {
  /** Where the first match of a line stands. Undefined: nowhere, or the allowance of steps is used up. */
  find(line: string): { readonly from: number; readonly to: number } | undefined;
  /** The allowance was used up, so that later lines weren't looked at. */
  readonly isExhausted: boolean;
}

/** Steps that one search may take: some tenths of a second. */
const DEFAULT_ALLOWANCE = 6_500_000;
const WORD = /[\p{L}\p{N}_]/u;

/** Throws `ConfigError` for a pattern that can't be matched in linear time. */
export function linearPattern(
  source: string,
  options: { readonly ignoreCase?: boolean; readonly allowance?: number } = {},
): LinearPattern {
  const steps = compilePattern(parsePattern(source, { ignoreCase: options.ignoreCase ?? true }));
  let left = options.allowance ?? DEFAULT_ALLOWANCE;
  return {
    get isExhausted() {
      return left <= 0;
    },
    find(line) {
      if (left <= 0) return undefined;
      return run(steps, [...line], (used) => {
        left -= used;
        return left > 0;
      });
    },
  };
}

/** Follows all ways at once. Of several beginnings the first one wins, of several ends the last. */
function run(
  steps: readonly Step[],
  characters: readonly string[],
  spend: (steps: number) => boolean,
): { from: number; to: number } | undefined {
  /** Where a way that stands at this step began; -1 if none does. */
  let here = new Int32Array(steps.length).fill(-1);
  let next = new Int32Array(steps.length).fill(-1);
  let found: { from: number; to: number } | undefined;
  /** Steps that were gone through since somebody paid for them. */
  let entered = 0;
  const holds = (kind: Extract<Step, { type: "assert" }>["kind"], at: number): boolean => {
    if (kind === "start") return at === 0;
    if (kind === "end") return at === characters.length;
    const isWord = (place: number) =>
      place >= 0 && place < characters.length && WORD.test(characters[place]!);
    return (isWord(at - 1) !== isWord(at)) === (kind === "border");
  };
  const enter = (ways: Int32Array, step: number, from: number, at: number): void => {
    const waiting = [step];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      entered++;
      const before = ways[one]!;
      if (before >= 0 && before <= from) continue;
      ways[one] = from;
      const is = steps[one]!;
      if (is.type === "split") waiting.push(...is.ways);
      else if (is.type === "assert" && holds(is.kind, at)) waiting.push(one + 1);
      else if (is.type === "match" && (found === undefined || from <= found.from)) found = { from, to: at };
    }
  };
  for (let at = 0; at <= characters.length; at++) {
    if (found === undefined) enter(here, 0, at, at);
    if (at === characters.length) break;
    next.fill(-1);
    let active = 0;
    for (let one = 0; one < steps.length; one++) {
      const from = here[one]!;
      const step = steps[one]!;
      if (from < 0 || step.type !== "character" || (found !== undefined && from > found.from)) continue;
      active++;
      if (step.test(characters[at]!)) enter(next, one + 1, from, at + 1);
    }
    // A way through hundreds of parts that may all be missing costs more than the characters that it reads.
    const cost = steps.length + active + entered;
    entered = 0;
    if (!spend(cost) || (found !== undefined && active === 0)) break;
    [here, next] = [next, here];
  }
  return found && utf16(characters, found);
}

/** Places in code units, as everything else counts them. */
function utf16(characters: readonly string[], { from, to }: { from: number; to: number }) {
  const length = (end: number) => characters.slice(0, end).join("").length;
  return { from: length(from), to: length(to) };
}

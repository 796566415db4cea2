import { ConfigError } from "../core/errors.ts";

/** One step of a compiled pattern. */
type Step =
  | { readonly type: "character"; readonly test: (character: string) => boolean }
  | { readonly type: "assert"; readonly kind: "start" | "end" | "border" | "no-border" }
  | { readonly type: "split"; readonly ways: number[] }
  | { readonly type: "match" };

/** A part of a pattern: writes its steps, as often as it is repeated. */
type Part = () => void;

/** Longer patterns are refused (characters). */
const MAX_PATTERN = 256;
/** A counted repetition is written out, so its count is bounded. */
const MAX_COUNT = 200;

const BORDERS = [
  ["^", "start"],
  ["$", "end"],
  ["\\b", "border"],
  ["\\B", "no-border"],
] as const;

/** A pattern of more steps is refused: the time that a text takes grows with them. */
const MAX_STEPS = 2_000;

/**
 * The steps of a regular expression; each but `split` goes on with the one behind it. What can't be matched in linear time (references
 * back, looking around) is refused.
 */
function compilePattern(source: string, { ignoreCase }: { readonly ignoreCase: boolean }): readonly Step[] {
  if (source.length > MAX_PATTERN)
    throw refused(`it has ${source.length} characters; ${MAX_PATTERN} are allowed.`);
  const flags = ignoreCase ? "iu" : "u";
  let at = 0;
  const peek = (): string | undefined => source[at];
  const take = (text: string): boolean => {
    if (!source.startsWith(text, at)) return false;
    at += text.length;
    return true;
  };
  const steps: Step[] = [];
  const add = (step: Step): void => {
    if (steps.length >= MAX_STEPS) throw refused("it is too long, with its repetitions written out.");
    steps.push(step);
  };
  /** A step from which several ways go on, the first one right behind it. */
  const split = (...ways: number[]): number[] => {
    add({ type: "split", ways });
    return ways;
  };

  const choice = (): Part => {
    const parts = [sequence()];
    while (take("|")) parts.push(sequence());
    const last = parts.pop()!;
    return () => {
      const ends: number[][] = [];
      for (const part of parts) {
        const ways = split(steps.length + 1);
        part();
        ends.push(split());
        ways.push(steps.length);
      }
      last();
      for (const end of ends) end.push(steps.length);
    };
  };
  const sequence = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && peek() !== "|" && peek() !== ")") parts.push(repeated(atom()));
    return () => {
      for (const part of parts) part();
    };
  };
  const repeated = ({ part, isBorder }: { readonly part: Part; readonly isBorder?: boolean }): Part => {
    const counts = count();
    if (!counts) return part;
    // Lazy or greedy: whether a text matches doesn't depend on it.
    take("?");
    if (isBorder) throw refused("a border can't be repeated.");
    if (count()) throw refused("a repetition is repeated.");
    const { least, most } = counts;
    return () => {
      for (let times = 0; times < least; times++) part();
      const ends: number[][] = [];
      for (let times = least; times < (most === Infinity ? least + 1 : most); times++) {
        const from = steps.length;
        ends.push(split(from + 1));
        part();
        if (most === Infinity) split(from);
      }
      for (const ways of ends) ways.push(steps.length);
    };
  };
  const count = (): { least: number; most: number } | undefined => {
    if (take("*")) return { least: 0, most: Infinity };
    if (take("+")) return { least: 1, most: Infinity };
    if (take("?")) return { least: 0, most: 1 };
    const counted = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(source.slice(at, at + 12));
    if (!counted) return undefined;
    at += counted[0].length;
    const least = Number(counted[1]);
    const most = counted[2] === "" ? least : counted[3] === "" ? Infinity : Number(counted[3]);
    if (Math.max(least, most === Infinity ? 0 : most) > MAX_COUNT || most < least)
      throw refused(`${counted[0]} isn't a count up to ${MAX_COUNT}.`);
    return { least, most };
  };
  const atom = (): { readonly part: Part; readonly isBorder?: boolean } => {
    if (take("(")) {
      if (take("?") && !take(":")) throw refused("groups that look around or have a name aren't known.");
      const inner = choice();
      if (!take(")")) throw refused("a bracket isn't closed.");
      return { part: inner };
    }
    for (const [sign, kind] of BORDERS)
      if (take(sign)) return { part: () => add({ type: "assert", kind }), isBorder: true };
    const test = characterTest(one(), flags);
    return { part: () => add({ type: "character", test }) };
  };
  /** The source of one character or class of characters. */
  const one = (): string => {
    const rest = source.slice(at);
    if (/^\\(?:[1-9]|k)/.test(rest)) throw refused("references back aren't known.");
    const found =
      /^\[(?:\\.|[^\]\\])*\]/su.exec(rest)?.[0] ??
      /^\\(?:[pP]\{\w{1,40}(?:=\w{1,40})?\}|u\{[\da-f]{1,6}\}|u[\da-f]{4}|x[\da-f]{2}|.)/isu.exec(
        rest,
      )?.[0] ??
      /^[^\\[]/su.exec(rest)?.[0];
    if (found === undefined) throw refused("a bracket isn't closed.");
    at += found.length;
    if (/^[*+?{}]$/.test(found)) throw refused(`\`${found}\` repeats nothing.`);
    // The Unicode mode of JavaScript refuses escapes that it doesn't need.
    return found.replace(/^\\([^\w\s^$\\.*+?()[\]{}|/])$/u, "$1");
  };

  const whole = choice();
  if (at < source.length) throw refused("a bracket is closed that wasn't opened.");
  whole();
  add({ type: "match" });
  return steps;
}

/** One character against one class: JavaScript's own classes, without anything that could take long. */
function characterTest(source: string, flags: string): (character: string) => boolean {
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^${source}$`, flags);
  } catch {
    throw refused(`\`${source}\` isn't a character or a class of characters.`);
  }
  const known = new Map<string, boolean>();
  return (character) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const is = pattern.test(character);
    known.set(character, is);
    return is;
  };
}

function refused(message: string): ConfigError {
  return new ConfigError({
    option: "regex",
    message: `the pattern can't be used: ${message}`,
    fix: "Use characters, classes, groups, `|`, `* + ?` and counts; or search for words.",
  });
}

/**
 * Regular expressions of strangers, in time that grows with the length of the text and not with its exponent: all ways to
 * match are followed side by side, and none is tried twice. JavaScript's own ones can be made to run for years.
 */
interface LinearPattern {
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
  const steps = compilePattern(source, { ignoreCase: options.ignoreCase ?? true });
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

import { ConfigError } from "../../core/errors.ts";

/** A pattern as a tree. */
export type Node =
  | { readonly type: "character"; readonly test: (character: string) => boolean }
  | { readonly type: "assert"; readonly kind: "start" | "end" | "border" | "no-border" }
  | { readonly type: "sequence"; readonly nodes: readonly Node[] }
  | { readonly type: "choice"; readonly nodes: readonly Node[] }
  | { readonly type: "repeat"; readonly node: Node; readonly least: number; readonly most: number };

/** Longer patterns are refused (characters). */
const MAX_PATTERN = 256;
/** A counted repetition is written out, so its count is bounded. */
const MAX_COUNT = 200;

/** Reads a regular expression. What can't be matched in linear time (references back, looking around) is refused. */
export function parsePattern(source: string, { ignoreCase }: { readonly ignoreCase: boolean }): Node {
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

  const choice = (): Node => {
    const nodes = [sequence()];
    while (take("|")) nodes.push(sequence());
    return nodes.length === 1 ? nodes[0]! : { type: "choice", nodes };
  };
  const sequence = (): Node => {
    const nodes: Node[] = [];
    while (at < source.length && peek() !== "|" && peek() !== ")") nodes.push(repeated(atom()));
    return nodes.length === 1 ? nodes[0]! : { type: "sequence", nodes };
  };
  const repeated = (node: Node): Node => {
    const counts = count();
    if (!counts) return node;
    // Lazy or greedy: whether a text matches doesn't depend on it.
    take("?");
    if (node.type === "assert") throw refused("a border can't be repeated.");
    if (count()) throw refused("a repetition is repeated.");
    return { type: "repeat", node, ...counts };
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
  const atom = (): Node => {
    if (take("(")) {
      if (take("?") && !take(":")) throw refused("groups that look around or have a name aren't known.");
      const inner = choice();
      if (!take(")")) throw refused("a bracket isn't closed.");
      return inner;
    }
    if (take("^")) return { type: "assert", kind: "start" };
    if (take("$")) return { type: "assert", kind: "end" };
    if (take("\\b")) return { type: "assert", kind: "border" };
    if (take("\\B")) return { type: "assert", kind: "no-border" };
    return { type: "character", test: characterTest(one(), flags) };
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

  const tree = choice();
  if (at < source.length) throw refused("a bracket is closed that wasn't opened.");
  return tree;
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

export function refused(message: string): ConfigError {
  return new ConfigError({
    option: "regex",
    message: `the pattern can't be used: ${message}`,
    fix: "Use characters, classes, groups, `|`, `* + ?` and counts; or search for words.",
  });
}

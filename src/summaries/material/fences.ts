/** A line of prose, or a stretch of code between fences. */
export type Stretch =
  | { readonly type: "prose"; readonly line: string }
  | { readonly type: "code"; readonly lines: readonly string[]; readonly isClosed: boolean };

/** What opens a stretch of code; code that ends in the same line is part of a sentence. */
const FENCE = /^\s*(`{3,8}|~{3,8})(?!.*\1)(.*)$/s;
const LONGEST = 8;

interface Fence {
  readonly sign: string;
  readonly length: number;
  /** Nothing stands behind it: it may close a stretch. */
  readonly isBare: boolean;
}

/**
 * A text by its lines of prose and its stretches of code. A fence that nobody closes begins code only if it names a language: where
 * fences stand within each other, the last one is left over, and what follows it is prose.
 */
export function* stretchesOf(text: string): Generator<Stretch> {
  const lines = text.split("\n");
  const fences = lines.map(fenceIn);
  const last = lastClosers(fences);
  const lastFence = fences.findLastIndex((fence) => fence !== undefined);
  for (let at = 0; at < lines.length; at++) {
    const opener = fences[at];
    if (opener === undefined) {
      yield { type: "prose", line: lines[at]! };
      continue;
    }
    const hasCloser = (last[opener.sign]?.[opener.length] ?? -1) > at;
    // Without one that may close it, the next fence of any kind has to.
    if (!hasCloser && lastFence <= at) {
      if (opener.isBare) continue;
      yield { type: "code", lines: lines.slice(at + 1), isClosed: false };
      return;
    }
    let end = at + 1;
    while (hasCloser ? !closes(fences[end], opener) : fences[end] === undefined) end++;
    yield { type: "code", lines: lines.slice(at + 1, end), isClosed: true };
    at = end;
  }
}

function fenceIn(line: string): Fence | undefined {
  const [, signs, rest] = FENCE.exec(line) ?? [];
  return signs === undefined
    ? undefined
    : { sign: signs[0]!, length: signs.length, isBare: rest!.trim() === "" };
}

function closes(fence: Fence | undefined, opener: Fence): boolean {
  return fence?.isBare === true && fence.sign === opener.sign && fence.length >= opener.length;
}

/** By sign and length of an opener: the last line that could close it. */
function lastClosers(fences: readonly (Fence | undefined)[]): Readonly<Record<string, number[]>> {
  const last: Record<string, number[]> = {};
  for (const [at, fence] of fences.entries()) {
    if (fence?.isBare !== true) continue;
    const own = last[fence.sign] ?? Array.from({ length: LONGEST + 1 }, () => -1);
    last[fence.sign] = own.fill(at, 0, fence.length + 1);
  }
  return last;
}

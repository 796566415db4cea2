/**
 * What the lines of a command's output say about how it ended, told by their form: programs of all kinds write where something
 * is wrong (`a.go:12:3: …`), what it is called (`TypeError: …`) and how often (`2 failed`).
 */

/** A place in a file with words behind it; without them it mostly is a line of a stack. */
const LOCATED =
  /[\w-]\.[A-Za-z]\w{0,7}(?::\d{1,6}(?::\d{1,5})?:|\(\d{1,6}(?:,\d{1,5})?\)\s?:|:\[\d{1,6},\d{1,5}\])\s?\S|^\d{1,6}:\d{1,5}\s+(?:error|warning)\b/;
const LOCATION =
  /[\w-]\.[A-Za-z]\w{0,7}(?::\d{1,6}|\(\d{1,6}[,)])|^File ".{1,200}", line \d{1,6}|\bon line \d{1,6}/;
/** What was wanted, and what was there. */
const VALUES =
  /\b(?:want(?:ed)?|got|expect(?:ed|s)?|actual|received|assert\w*)\b|^(?:left|right):|\s[!=]==?\s/i;
/** An error with its name, or with a colon and words behind it. */
const NAMED =
  /^(?:E\s+)?[\w.$]{0,80}(?:Error|Exception)\b\s?[:(]|(?:^|\s|\])(?:error|fail(?:ed|ure)?|panic|fatal)(?:\[\w{1,12}\]| [A-Z]{1,8}\d{1,6})?:\s?\S|\bpanicked at\b/i;
/** Words that shells and systems use where they refuse something. */
const REFUSED = /\b(?:command not found|no such file or directory|permission denied|is not recognized)\b/i;
/** A line that begins with a word of failure, behind the name of a task or signs, or has a sign of it. */
const BEGINS =
  /^(?:\[[^\]]{1,40}\]\W{0,3})?\W{0,8}(?:npm )?(?:err(?:or)?s?|fail(?:ed|ure|ures|s)?|panic|fatal|exception|traceback|unhandled|uncaught|not ok)\b|[✗✖✘❌]|^×/i;
/** … of these the ones that name what failed, whatever passed after it. */
const VERDICT = /^\W{0,8}(?:fail(?:ed|ure)?|not ok)\b|[✗✖✘❌]|^×/i;
const COUNTED =
  /\b[1-9]\d{0,6} (?:[a-z]{1,20} ){0,2}(?:failed|failures?|failing|errors?|problems?|issues?)\b|\b(?:failed|failures?|errors?)\s?[:=]\s?[1-9]/i;
const NO_TROUBLE =
  /\b(?:0|no) (?:[a-z]{1,20} ){0,2}(?:errors?|fail\w{0,4}|issues?|problems?|warnings?|vulnerabilities)\b|\b(?:errors?|failed|failures?|stderr)\W{1,3}(?:0\b|\(?(?:none|null|empty)\)?$)/i;
const PASSES =
  /^\W{0,6}(?:ok|pass(?:ed)?|success(?:ful(?:ly)?)?|build success\w{0,4}|all (?:checks|tests|files|matched))\b|[✓✔]/i;
const PASSED_COUNT = /\b\d{1,7} (?:tests? )?(?:passed|passing|succeeded)\b/i;
const WARNING = /\b(?:warn(?:ing)?|note|info|debug)\b/i;
/** Lines of a log. */
const LOGGED = /^\W?\d{4}[-/]\d\d[-/]\d\d/;
/** A runner's echo of what it runs: `$ go test ./...`, `[lint] $ golangci-lint run`, `> app@1.0.0 test`. */
const ECHO = /^(?:\[[^\]]{1,40}\]\s?)?(?:[$>%]|\+{1,3}|PS [^>]{1,80}>)\s\S/;

/** Lines that say what went wrong. */
const MOST = 2;
/** A line of this worth says what went wrong; those below only say that something did. */
const TELLING = 3;

/** A second line is shown if it tells nearly as much. */
const BESIDE = 1;
/** The last lines, in which programs say what came of it. */
const END = 5;

/** Does an output say that something failed? Where its end says that all passed, a place or an error's name is part of what was printed. */
export function outputSaysFailed(lines: readonly string[]): boolean {
  const isVerdict = (line: string): boolean => COUNTED.test(line) || (VERDICT.test(line) && saysFailed(line));
  if (lines.some(isVerdict)) return true;
  const last = lines.slice(-END).findLast((line) => saysFailed(line) || saysPassed(line));
  return last === undefined ? lines.some(saysFailed) : saysFailed(last);
}

/** Does this line say that something failed? */
function saysFailed(line: string): boolean {
  if (COUNTED.test(line)) return true;
  if (NO_TROUBLE.test(line) || PASSES.test(line)) return false;
  if (NAMED.test(line) || REFUSED.test(line) || BEGINS.test(line)) return !LOGGED.test(line);
  return LOCATED.test(line) && !WARNING.test(line) && !LOGGED.test(line);
}

/** Does this line say that something passed? */
export function saysPassed(line: string): boolean {
  return PASSED_COUNT.test(line) || NO_TROUBLE.test(line) || PASSES.test(line);
}

/** `12 passed`, if a line says so. */
export function passedCount(lines: readonly string[]): string | undefined {
  for (const line of lines.toReversed()) {
    const count = PASSED_COUNT.exec(line)?.[0];
    if (count !== undefined) return count;
  }
  return undefined;
}

/** Is it what a runner repeats of the command? */
export function isEcho(line: string): boolean {
  return ECHO.test(line);
}

/**
 * The lines of a failed run that say most about what went wrong, in their order, and how many more are as telling. Lines that a run
 * of the same command before had, too, tell less.
 */
export function tellingLines(
  lines: readonly string[],
  before: ReadonlySet<string>,
): { readonly shown: string[]; readonly more: number } {
  const candidates = lines
    .map((line, at) => ({ line, at, worth: worthOf(line) + (before.has(withoutFigures(line)) ? 0 : 0.5) }))
    .filter(({ line, worth }) => worth >= 1 && !isEcho(line));
  const best = candidates.reduce((most, { worth }) => Math.max(most, worth), 0);
  const isTelling = best >= TELLING;
  // Where no line says what went wrong, the longest one at least says where.
  const ranked = candidates.toSorted(
    (a, b) => b.worth - a.worth || (isTelling ? 0 : b.line.length - a.line.length) || a.at - b.at,
  );
  const said = new Set<string>();
  const chosen = ranked.filter(({ line, worth }) => {
    const form = withoutFigures(line);
    if (said.size >= (isTelling ? MOST : 1) || said.has(form) || worth < best - BESIDE) return false;
    said.add(form);
    return true;
  });
  if (chosen.length === 0) return { shown: lines.filter((line) => !isEcho(line)).slice(-1), more: 0 };
  const telling = isTelling ? ranked.filter(({ worth }) => worth >= best - BESIDE).length : 0;
  return {
    shown: chosen.toSorted((a, b) => a.at - b.at).map(({ line }) => line),
    more: Math.max(0, telling - chosen.length),
  };
}

/** Times and counts differ from run to run. */
export function withoutFigures(line: string): string {
  return line.replace(/\d+/g, "0");
}

function worthOf(line: string): number {
  if (saysPassed(line) && !COUNTED.test(line)) return 0;
  const place = LOCATED.test(line) ? 4 : LOCATION.test(line) ? 1 : 0;
  const name = NAMED.test(line) || REFUSED.test(line) ? 3 : BEGINS.test(line) || COUNTED.test(line) ? 1 : 0;
  const values = (place > 0 || name > 0 || /\d|["'`]/.test(line)) && VALUES.test(line) ? 2 : 0;
  return place + name + values - (LOGGED.test(line) ? 4 : 0) - (WARNING.test(line) ? 1.5 : 0);
}

import { type EndedCall, outsideQuotes, type State, type StateBook } from "./state.ts";

/** A command that runs tests, with its arguments, wherever a command may begin in a line. */
const RUNNER =
  /(?:^|[\n;&|({][^\S\n]*)(?:\w+=\S+ +|(?:npx|bunx|pnpm exec|uv run|poetry run|bundle exec|mise exec --|python3? -m|sudo|env|time|timeout \S+) +)*((?:(?:npm|pnpm|yarn|bun|mise|just|make|task|rake|deno|go|cargo|swift|mix|dotnet|composer|(?:bin\/)?rails|(?:\.\/)?gradlew?|(?:\.\/)?mvnw?|flutter)\s(?:[^\n;&|<>]*?[\s:])?(?:test|tests|check|nextest)|vitest|jest|mocha|ava|pytest|py\.test|tox|nox|rspec|phpunit|(?:vendor\/bin|node_modules\/\.bin)\/\w+|ctest|playwright test|[\w./~-]*manage\.py test|unittest|node --test)\b[^\n;&|<>]*)/g;
/** Lines of files or suites: tests are counted, not these. */
const NO_TESTS = /^\W*(?:Test Files|Test Suites|Snapshots)\b/;
/** How a line begins that says what became of the tests. */
const VERDICT =
  /^\W*(?:(?:INFO|ERROR|WARNING)\]\s*)?(?:Tests?\b|test result:|Ran \d|Executed \d|OK\b|FAILED\b|ok\s|not ok\s|FAIL\b|PASS\b|(?:Passed|Failed)!|\d+ (?:tests?|examples?|pass(?:ed|ing)?|fail(?:ed|ing)?|errors?)\b|(?:pass|fail) \d)/;
const FAILED = [
  /(\d+)\s+(?:tests?\s+)?(?:fail(?:ed|ing|ures?)?|errors?)\b/gi,
  /\b(?:fail(?:ed|ures?)?|errors)(?:[:=]\s*|\s)(\d+)\b/gi,
];
const PASSED = [
  /(\d+)\s+(?:tests?\s+)?pass(?:ed|ing)?\b/gi,
  /\bpass(?:ed)?(?:[:=]\s*|\s)(\d+)\b/gi,
  /\b(?:OK \(|Tests run: |Executed |Ran |^)(\d+)(?=,? (?:tests?|examples?)\b|,)/gi,
];
const FAIL_MARK = /^\W*(?:FAIL\b|FAILED\b|not ok\s)/;
const PASS_MARK = /^\W*(?:ok\s|OK\b|PASS\b)/;
const COLOURS = /\p{Cc}\[[\d;]*m/gu;
/** The whole of a package, as runners write it. */
const ALL = /^(?:\.|\.\/\.\.\.|\.\.\.)$/;
/** Longer commands are cut (characters). */
const MAX_COMMAND = 80;

/** Notes how the last run of each command ended that runs tests. */
export function readTests({ command, output, failed, message }: EndedCall, book: StateBook): void {
  const runs = [...outsideQuotes(command).matchAll(RUNNER)].map((match) =>
    match[1]!.trim().replace(/\s+\d$/, ""),
  );
  const name = runs.at(-1)?.slice(0, MAX_COMMAND);
  if (name === undefined) return;
  const ended = verdict(output);
  // Nobody can say of several commands which one failed.
  const isAlone = command.includes(name) && !/[|;&\n]/.test(command.replace(/\d?>&\d|2>\S+/g, ""));
  const status = ended.failed > 0 || (failed && isAlone) ? "failing" : ended.isGreen ? "passing" : undefined;
  if (status === undefined) return;
  const words = wordsOf(name);
  for (const before of book.all("tests"))
    if (isCoveredBy(before, words, status)) book.delete("tests", before.name);
  const detail = [
    ended.failed > 0 && Number.isFinite(ended.failed) ? `${ended.failed} failed` : "",
    ended.passed > 0 ? `${ended.passed} passed` : "",
  ].filter((one) => one !== "");
  book.set({
    kind: "tests",
    name,
    status,
    detail: detail.join(", ") || (status === "failing" ? "failed" : "passed"),
    message,
  });
}

/** A run of fewer words runs what the longer one ran, and more. */
function isCoveredBy(before: State, words: readonly string[], status: State["status"]): boolean {
  const earlier = wordsOf(before.name);
  const isWhole = status === "passing" && words.length <= 3 && words.every((word) => !/[/.]/.test(word));
  return isWhole || words.every((word) => earlier.includes(word));
}

function wordsOf(command: string): string[] {
  return command.split(/\s+/).filter((word) => !word.startsWith("-") && !ALL.test(word));
}

function verdict(output: string): {
  readonly failed: number;
  readonly passed: number;
  readonly isGreen: boolean;
} {
  const lines = output
    .replace(COLOURS, "")
    .split("\n")
    .filter((line) => VERDICT.test(line) && !NO_TESTS.test(line));
  let failed = 0;
  let passed = 0;
  let isCounted = false;
  for (const line of lines) {
    const [lost, won] = [numbersIn(line, FAILED), numbersIn(line, PASSED)];
    if (lost.length + won.length > 0) isCounted = true;
    failed += lost.reduce((sum, one) => sum + one, 0);
    passed += won[0] ?? 0;
  }
  const isMarked = lines.some((line) => FAIL_MARK.test(line));
  if ((!isCounted || failed === 0) && isMarked && !(isCounted && passed > 0)) failed = Infinity;
  return {
    failed,
    passed,
    isGreen: failed === 0 && (passed > 0 || lines.some((line) => PASS_MARK.test(line))),
  };
}

function numbersIn(line: string, patterns: readonly RegExp[]): number[] {
  return patterns.flatMap((pattern) => [...line.matchAll(pattern)].map((match) => Number(match[1])));
}

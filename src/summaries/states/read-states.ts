import { onceFor } from "../../core/collections.ts";
import { cutTo } from "../../core/first-characters.ts";
import { isRecord } from "../../core/json.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { readArguments, readCall } from "../calls/read-call.ts";
import { isRefusal } from "../calls/refusals.ts";
import { hasWords } from "../text/sentences.ts";
import { type GitState, markUnpushed, readGit } from "./git-states.ts";
import {
  createStateBook,
  type EndedCall,
  KINDS,
  outsideQuotes,
  type State,
  type StateBook,
} from "./show-states.ts";

/** How hosts say how a command ended: Claude Code, Codex (two forms). */
const EXIT_STATUS = /\b(?:exit code:?|exited with code|"exit_code":)\s*(-?\d+)/i;
/** A person or the host didn't let it run. */
const NOT_RUN =
  /^(?:<tool_use_error>|The user (?:doesn't|does not) want|Permission to use|\[?Request interrupted)/i;
/** Hosts say at the beginning of an output how it ended (characters). */
const HEAD = 300;

const STARTED = [
  /\brunning in (?:the )?background with ID:?\s*([\w-]+)/i,
  /\bProcess running with session ID (\d+)/,
  /\blaunched successfully[\s\S]{0,80}?\bagent_?id:\s*([\w-]+)/i,
];
/** A shell that prints the number of what it started. */
const PRINTS_PID = /&\s*(?:\n|;)?\s*echo\s+[^\n]*\$!/;
const SPAWNS = /(?:^|[_.-])spawn_?agent$/i;
/** What is said of a process that isn't there any more, beside its id. */
const ENDED =
  /<status>(?!running|pending)\w+<\/status>|\bstatus"?\s*[:=]\s*"?(?:completed|failed|killed|stopped|exited|done|finished|errored|shutdown)|\bexited with code|\bexit[_ ]code|"completed":|Successfully (?:killed|stopped)/i;
const ENDS = /(?:kill|stop|close|terminate)[\w-]*$/i;
const ASKS =
  /^(?:mcp__\w+__)?(?:ask_?user(?:_?questions?)?|request_user_input|ask_followup_question|question)$/i;
const NOT_ANSWERED = /doesn't want to|dismissed|interrupted|rejected|cancell?ed|timed out/i;
const SAID_INSTEAD = /the user said:\s*\S/i;
const FINISHED = /^(?:completed?|done|finished|closed)$/i;
const DROPPED = /^(?:deleted|cancell?ed|removed)$/i;
/** Longer questions, commands and steps are cut (characters). */
const MAX_TEXT = 100;

/** What is done and what is open, by what the transcript shows of it: each thing once, as it was last. */
export const readStates = onceFor(read);

function read(messages: readonly Message[]): readonly State[] {
  const book = createStateBook();
  const history: GitState = { branch: "", said: [] };
  const calls = new Map<string, ToolCallPart>();
  let edited = -1;
  for (const [message, { role, parts }] of messages.entries()) {
    for (const part of parts) {
      if (part.type === "tool-call") calls.set(part.id, part);
      else if (part.type === "text" && role === "user") endNamed(part.text, book);
      else if (part.type === "tool-result") {
        const call = calls.get(part.id);
        if (call === undefined) continue;
        const { kind, plan } = readCall(call);
        if (kind === "edit" && !isRefusal(part)) edited = message;
        const ended = endOf(call, part, message);
        if (plan !== undefined) readPlan(plan, message, book);
        readTask(ended, book);
        readQuestion(ended, book);
        if (NOT_RUN.test(part.text)) continue;
        readProcess(ended, book);
        readGit(ended, book, history);
        readTests(ended, book);
      }
    }
  }
  markUnpushed(book, history);
  for (const tests of book.all("tests")) if (tests.message < edited) book.set({ ...tests, changed: edited });
  return KINDS.flatMap((kind) => book.all(kind));
}

function endOf(call: ToolCallPart, { text, error }: ToolResultPart, message: number): EndedCall {
  const status = Number(EXIT_STATUS.exec(text.slice(0, HEAD))?.[1] ?? 0);
  const { kind, command } = readCall(call);
  return {
    tool: call.name,
    command: kind === "command" ? command! : "",
    args: call.args,
    output: text.includes("\\n") && text.startsWith("{") ? unpacked(text) : text,
    failed: error === true || status !== 0,
    message,
  };
}

/** Codex of older versions wraps what a command printed into JSON. */
function unpacked(text: string): string {
  const value = readArguments(text);
  return isRecord(value) && typeof value.output === "string" ? value.output : text;
}

function readProcess({ tool, command, args, output, message, failed }: EndedCall, book: StateBook): void {
  const head = output.slice(0, HEAD);
  const isWork = command !== "" || /agent|task|stdin|shell|bash/i.test(tool);
  const started = isWork
    ? (STARTED.map((pattern) => pattern.exec(head)?.[1]).find((id) => id !== undefined) ??
      (SPAWNS.test(tool) ? /"agent_id":\s*"([\w-]+)"/.exec(output)?.[1] : undefined) ??
      (PRINTS_PID.test(command) ? /\b(\d{2,7})\s*$/.exec(output)?.[1] : undefined))
    : undefined;
  for (const { name, detail } of book.all("process")) {
    if (name === started) return;
    const isNamed = hasWords(args, name);
    if (isNamed && !failed && ENDS.test(tool)) book.delete("process", name);
    else if (isNamed && ENDED.test(output)) book.delete("process", name);
    else if (/\bkill\b/.test(command) && hasWords(command, name)) book.delete("process", name);
    else {
      const pattern = /\bp?kill(?:all)?\s+(?:-\S+\s+)*["']?([^"'\n;&|]{3,})/.exec(command)?.[1]?.trim();
      if (pattern !== undefined && detail.includes(pattern)) book.delete("process", name);
    }
  }
  if (started === undefined) return;
  const given = readArguments(args);
  const { description, message: asked, prompt } = isRecord(given) ? given : {};
  const what = command || [description, asked, prompt].find((one) => typeof one === "string") || tool;
  book.set({ kind: "process", name: started, status: "running", detail: short(String(what)), message });
}

/** A host's notice that something ended. */
function endNamed(text: string, book: StateBook): void {
  for (const { name } of book.all("process"))
    if (hasWords(text, name) && ENDED.test(text)) book.delete("process", name);
}

/** A plan that is written anew as a whole. */
function readPlan(
  plan: readonly { readonly text: string; readonly status: string }[],
  message: number,
  book: StateBook,
): void {
  for (const { name } of book.all("step")) book.delete("step", name);
  for (const { text, status } of plan) setStep(text, status, "", message, book);
}

/** Steps that are created and changed one by one. */
function readTask({ tool, args, output, message, failed }: EndedCall, book: StateBook): void {
  if (failed || !/^Task(?:Create|Update)$/.test(tool)) return;
  const given = readArguments(args);
  if (!isRecord(given)) return;
  if (tool === "TaskCreate") {
    const id = /\bTask #(\w+)/.exec(output)?.[1];
    if (id !== undefined) setStep(String(given.subject ?? ""), "pending", `task ${id}`, message, book);
    return;
  }
  const id = `task ${String(given.taskId)}`;
  const step = book.all("step").find(({ detail }) => detail === id);
  if (step === undefined) return;
  const { status = step.status, subject = step.name } = given;
  book.delete("step", step.name);
  setStep(String(subject), String(status), id, message, book);
}

function setStep(text: string, status: string, detail: string, message: number, book: StateBook): void {
  const name = short(text);
  if (name === "" || DROPPED.test(status)) return;
  book.set({ kind: "step", name, status: FINISHED.test(status) ? "done" : "todo", detail, message });
}

/** A question that the agent asked by a tool, and that the user sent away. */
function readQuestion({ tool, args, output, message }: EndedCall, book: StateBook): void {
  if (!ASKS.test(tool)) return;
  const given = readArguments(args);
  if (!isRecord(given)) return;
  const asked = Array.isArray(given.questions) ? given.questions : [given];
  for (const one of asked) {
    const name = isRecord(one) && typeof one.question === "string" ? short(one.question) : "";
    if (name === "") continue;
    const isOpen = NOT_ANSWERED.test(output.slice(0, HEAD)) && !SAID_INSTEAD.test(output);
    if (isOpen) book.set({ kind: "question", name, status: "unanswered", message });
    else book.delete("question", name);
  }
}

const short = (text: string): string => cutTo(text.replace(/\s+/g, " ").trim(), MAX_TEXT);

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
function readTests({ command, output, failed, message }: EndedCall, book: StateBook): void {
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

import type { HostState, Message } from "../../core/types.ts";
import { abridged } from "../abridge.ts";
import { commonFolder } from "../common-root.ts";
import { setsLastingRule } from "../lasting-rules.ts";
import { touchedFiles } from "../ledger.ts";
import type { IsOurs } from "../proof.ts";
import { readArguments, readPlan } from "../read-call.ts";
import { type Request, requestsOf, type Speech, speechesOf } from "./speeches.ts";
import { bothEnds, inOneLine, type ProseStatement, sentencesIn } from "./statements.ts";
import { DECIDED, decisionWorth, isEmpty, isNarration, isOpen } from "./worth.ts";

/** The files of a conversation, the one touched last first. */
interface DigestFiles {
  /** The folder that all paths stand in, empty where there is none. */
  readonly root: string;
  readonly changed: readonly string[];
  /** Those that were only looked at. */
  readonly read: readonly string[];
}

const DONE = /^(?:completed?|done|finished|cancelled|canceled|deleted|closed)$/i;

export interface DigestLine {
  /** Index of the message that it is from. */
  readonly message: number;
  readonly text: string;
  /** The larger, the sooner it is taken. */
  readonly worth: number;
  /** What it repeats of the user's words: where those stand above, it isn't shown … */
  readonly repeats?: string;
  /** … or only with these words. */
  readonly otherwise?: string;
}

/** What a conversation came to, in lines that can be read alone. Each list is in the order of the conversation. */
export interface Digest {
  /** What the user asked for. */
  readonly goal: readonly DigestLine[];
  /** Rules that the user set, word for word. */
  readonly rules: readonly DigestLine[];
  /** What the assistant reported last. */
  readonly state: readonly DigestLine[];
  readonly decisions: readonly DigestLine[];
  readonly files: DigestFiles;
  readonly open: readonly DigestLine[];
}

/** The first request may be a whole plan, of which its beginning and its end are shown (characters). */
const FIRST_REQUEST = 600;
const LATER_REQUEST = 220;
/** A longer sentence with "never" in it is a request (characters). */
const LONGEST_RULE = 200;
/** A word between two calls counts for less than a report. */
const BETWEEN_CALLS = 0.6;
/** What is as near as can be to what the reader cares about counts as much as a decision. */
const NEAR = 2;
/** Anything else that a report says is for what room is left. */
const REPORTED = 0.3;
/** The oldest statement counts for this share of the newest one. */
const OLDEST = 0.6;

/** What a digest is made from: what both sides said in a conversation, by statements. */
export interface DigestMaterial {
  readonly messages: readonly Message[];
  readonly speeches: readonly Speech[];
  readonly requests: readonly Request[];
}

/** Reads what both sides said. */
export function digestMaterial(given: readonly Message[], isOurs?: IsOurs): DigestMaterial {
  const messages = abridged(given);
  return {
    messages,
    speeches: speechesOf(messages),
    requests: requestsOf(messages, isOurs),
  };
}

/** What `readDigest` takes beside its material. */
export interface DigestOptions {
  /** How near a text is to what the reader cares about, 0 to 1. Default: all texts are alike. */
  readonly nearness?: (text: string) => number;
  readonly hostState?: HostState;
}

/** Reads what a conversation came to. Only people's words and the assistant's own are used: results of tools are data. */
export function readDigest(material: DigestMaterial, options: DigestOptions = {}): Digest {
  const { messages, speeches, requests } = material;
  const { nearness = () => 0, hostState } = options;
  const last = speeches.findLast(({ isReport }) => isReport) ?? speeches.at(-1);
  const state = last === undefined ? [] : stateOf(last, speeches);
  const isTold = new Set(state.map(({ text }) => text));
  const tracked = trackedLines(hostState, messages.length);
  const goal = requests.map(({ message, text }, index) => ({
    message,
    text: bothEnds(requestLine(text), index === 0 ? FIRST_REQUEST : LATER_REQUEST),
    // The first request says what it is about, the newest ones where it stands.
    worth: index === 0 ? 2 * requests.length : index + requests.length * nearness(text),
  }));
  const byUser = requests.map((request) => wordOf(request, messages.length));
  const byAssistant = decisionsOf(speeches, messages.length, nearness);
  return {
    goal: eachOnce(goal),
    rules: eachOnce(byUser.flatMap(({ rules }) => rules)),
    state: [...tracked.state, ...state],
    decisions: [
      ...byUser.flatMap(({ decisions }) => decisions),
      ...byAssistant.filter(({ text }) => !isTold.has(text)),
    ].toSorted((a, b) => a.message - b.message),
    files: digestFiles(messages),
    open: eachOnce([...openOf(messages, last, requests.at(-1)), ...tracked.open]),
  };
}

/** Items of a list that say that they hold for later, from which on it is a list of rules. */
const LEAST_RULES = 2;

/** The statements that set a rule. In a list whose items mostly do, the others are rules as well. */
function rulesAmong(statements: readonly ProseStatement[]): ProseStatement[] {
  const lists = Map.groupBy(
    statements.filter(({ list }) => list !== undefined),
    ({ list }) => list,
  );
  const isRules = (items: readonly ProseStatement[]): boolean => {
    const rules = items.filter(({ text }) => setsLastingRule(text)).length;
    return rules >= LEAST_RULES && rules > items.length / 2;
  };
  const ofRules = new Set([...lists].flatMap(([list, items]) => (isRules(items) ? [list] : [])));
  return statements.filter(
    ({ text, list }) => setsLastingRule(text) || (list !== undefined && ofRules.has(list)),
  );
}

/** The first of lines that say the same. */
function eachOnce(lines: readonly DigestLine[]): DigestLine[] {
  const seen = new Set<string>();
  return lines.filter(({ text }) => !seen.has(text) && seen.add(text));
}

/** What the host itself keeps track of. */
function trackedLines(
  hostState: HostState | undefined,
  message: number,
): { readonly state: readonly DigestLine[]; readonly open: readonly DigestLine[] } {
  if (!hostState || (typeof hostState === "string" && hostState.trim() === ""))
    return { state: [], open: [] };
  if (typeof hostState === "string") return { state: [{ message, text: hostState, worth: 1 }], open: [] };
  const line = (text: string): DigestLine => ({ message, text, worth: 1 });
  const open = hostState.steps.filter(({ status }) => status !== "done");
  return {
    state: [],
    open: open.map(({ text, status }) => line(status === "open" ? text : `${text} (${status})`)),
  };
}

/** The newest report. Work that stopped between two calls is told by what the assistant said last. */
function stateOf(last: Speech, speeches: readonly Speech[]): DigestLine[] {
  const after = speeches.filter(({ message }) => message > last.message);
  const newest = after.at(-1);
  const own = newest === undefined ? last.statements : [...last.statements, ...newest.statements.slice(-2)];
  const told = own.filter((statement) => !statement.text.endsWith("?"));
  const useful = told.filter((statement) => !isNarration(statement));
  return (useful.length > 0 ? useful : told).map(({ text }, index) => ({
    message: last.message,
    text,
    worth: -index,
  }));
}

/** The rules that a request sets, and what the user decided in it and gave reasons for: nobody else's word counts as much. */
function wordOf(
  { message, statements }: Request,
  length: number,
): { readonly rules: readonly DigestLine[]; readonly decisions: readonly DigestLine[] } {
  const rules = rulesAmong(statements);
  const isRule = new Set(rules);
  return {
    rules: rules
      .filter(({ text }) => text.length <= LONGEST_RULE && !text.endsWith("?"))
      .map(({ text }) => ({ message, text, worth: message })),
    decisions: statements
      .filter((statement) => decisionWorth(statement) >= DECIDED && !isRule.has(statement))
      .map((statement) => ({
        message,
        text: `The user: ${statement.text}`,
        repeats: statement.text,
        worth: decisionWorth(statement) * ageFactor(message, length),
      })),
  };
}

const ageFactor = (message: number, length: number): number =>
  OLDEST + (1 - OLDEST) * (message / Math.max(1, length));

/** Statements that say what was decided, found and done, each once. */
function decisionsOf(
  speeches: readonly Speech[],
  length: number,
  nearness: (text: string) => number,
): DigestLine[] {
  const lines = new Map<string, DigestLine>();
  for (const { message, statements, isReport } of speeches)
    for (const statement of statements) {
      const says = !isNarration(statement) && !isEmpty(statement);
      const least = isReport && !statement.text.endsWith("?") ? REPORTED : 0;
      const own = says ? Math.max(least, decisionWorth(statement) + NEAR * nearness(statement.text)) : 0;
      const worth = own * (isReport ? 1 : BETWEEN_CALLS) * ageFactor(message, length);
      // What is said again later is newest there.
      lines.delete(statement.text);
      if (worth > 0) lines.set(statement.text, { message, text: statement.text, worth });
    }
  return [...lines.values()];
}

function openOf(
  messages: readonly Message[],
  last: Speech | undefined,
  request: { readonly message: number; readonly text: string } | undefined,
): DigestLine[] {
  const end = messages.length;
  const steps = openSteps(messages).map((text, index) => ({ message: end, text, worth: -index }));
  const told = (last?.statements ?? [])
    .filter((statement) => isOpen(statement))
    .map(({ text }) => ({ message: last?.message ?? 0, text, worth: 0 }));
  const isUnanswered = request !== undefined && request.message > (last?.message ?? -1);
  const words = request && bothEnds(requestLine(request.text), LATER_REQUEST);
  const asked = isUnanswered
    ? [
        {
          message: request.message,
          text: `Asked last, no report since: ${words}`,
          repeats: words!,
          otherwise: "There is no report yet on what was asked last.",
          worth: 1,
        },
      ]
    : [];
  return [...asked, ...told, ...steps];
}

/** A request in one line: titles end in a colon, marks of lists go, and what is said again isn't repeated. */
function requestLine(text: string): string {
  const line = text
    .split("\n")
    .map((line) => withColon(line).replace(/^\s*(?:[-*•+]|\d{1,3}[.)])\s+/, ""))
    .join(" ");
  return [...new Set(sentencesIn(inOneLine(line)))].join(" ");
}

/** A title as the words that it introduces something with; other lines as they are. */
function withColon(line: string): string {
  const title = /^\s*#{1,6}\s+(.*)$/s.exec(line)?.[1];
  if (title === undefined) return line;
  // Read from its end: a pattern would look at a long run of dots from each of them.
  let end = title.length;
  while (end > 0 && /[\s:.]/.test(title[end - 1]!)) end--;
  return `${title.slice(0, end)}:`;
}

function digestFiles(messages: readonly Message[]): DigestFiles {
  const there = touchedFiles(messages).filter(({ path, isDeleted }) => !isDeleted && isFile(path));
  const changed = there.flatMap(({ path, isChanged }) => (isChanged ? [path] : []));
  const read = there.flatMap(({ path, isChanged }) => (isChanged ? [] : [path]));
  const root = commonFolder([...changed, ...read]);
  const below = (path: string): string => (path.startsWith(root) ? path.slice(root.length) : path);
  return { root, changed: changed.map(below), read: read.map(below) };
}

/** Addresses and patterns of a search aren't files. */
const isFile = (path: string): boolean => !/^[a-z]+:\/\/|[*?{}\s]/i.test(path) && /\.\w+$/.test(path);

/** The steps of the newest plan that aren't done. */
function openSteps(messages: readonly Message[]): string[] {
  for (const message of messages.toReversed())
    for (const part of message.parts.toReversed()) {
      if (part.type !== "tool-call" || !part.args.includes('"status"')) continue;
      const plan = readPlan(readArguments(part.args));
      if (plan !== undefined)
        return plan.flatMap(({ text, status }) => (DONE.test(status) ? [] : [inOneLine(text)]));
    }
  return [];
}

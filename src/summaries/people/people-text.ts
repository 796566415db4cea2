import type { HostState, Message } from "../../core/types.ts";
import { setsLastingRule } from "../keep/rules.ts";
import { abridged } from "../material/abridge.ts";
import { SPECIFIC } from "../material/read-passage.ts";
import { SHORT_INTENTION, statementsOf } from "../material/statements.ts";
import { beginningAndEnd, type IsOurs, userWords } from "../material/user-words.ts";
import { chooseStatements } from "../select/choose-statements.ts";
import { readStates } from "../states/read-states.ts";
import { sentencesOf, shortened } from "../text/sentences.ts";
import { commonRoot, touchedFiles } from "../write/files.ts";
import { type ListLine, type ListSection, writeLists } from "./write-lists.ts";

export interface PeopleTextInput {
  readonly messages: readonly Message[];
  /** Ceiling in tokens by `count`. Never exceeded. */
  readonly cap: number;
  readonly count: (text: string) => number;
  readonly isOurs?: IsOurs;
  readonly hostState?: HostState;
}

/** A summary to paste into a pull request or to send to a colleague, made by code. */
export function peopleText(input: PeopleTextInput & { readonly focus?: string }): string {
  const { cap, count, focus } = input;
  const { goal, rules, state, decisions, changed, read, open } = readPeople(input, focus);
  const sections = [
    { title: "Goal", lines: goal, share: SHARES.goal },
    rules,
    state,
    decisions,
    changed,
    read,
    open,
  ];
  return writeLists({ sections, cap, count });
}

/** How a hand-over begins: what it is and what it is for. */
export function handoverHead(goal: string, messages: readonly Message[]): string {
  return [
    "# Hand-over",
    `**Goal:** ${goal}`,
    `What follows is a record of an earlier session (${messages.length} ${messages.length === 1 ? "message" : "messages"}), made for this goal. It is background, not an instruction: look at the files before you rely on it.`,
  ].join("\n\n");
}

/** Stands before what a model wrote about the earlier session. */
export const NARRATIVE_TITLE = "## The earlier session\n";

/** What a fresh session should know of an earlier one to reach a goal. */
export function handoverText(
  input: PeopleTextInput & {
    readonly goal: string;
    /** What a model wrote about the earlier session, instead of state and decisions by code. */
    readonly narrative?: string;
  },
): string {
  const { messages, cap, count, goal, narrative } = input;
  const begin = handoverHead(goal, messages);
  const head = narrative === undefined ? begin : `${begin}\n\n${NARRATIVE_TITLE}${narrative}`;
  const found = readPeople(input, goal, true);
  const asked = { title: "What the earlier session was asked for", lines: found.goal, share: SHARES.goal };
  const byCode = [asked, found.rules, found.state, found.near, found.decisions];
  const sections = [
    ...(narrative === undefined ? byCode : [found.rules]),
    found.changed,
    found.read,
    found.open,
  ];
  const rest = writeLists({ sections, cap: cap - count(`${head}\n\n`), count, above: goal });
  return rest === "" ? head : `${head}\n\n${rest}`;
}

/** Of the cap, what each section has to itself. */
const SHARES = { goal: 0.2, rules: 0.1, state: 0.25, decisions: 0.25, files: 0.1, read: 0.03, open: 0.1 };
/** The first request may be a whole plan, of which its beginning and its end are shown (characters). */
const FIRST_REQUEST = 600;
const LATER_REQUEST = 240;
/** Requests of fewer words agree, thank or urge on, unless they ask. */
const LEAST_WORDS = 4;
const LEAST_REQUEST = 3;
/** What programs write in the user's place: output of their own commands, notes in brackets. */
const NOT_TYPED = /^\s*(?:<[a-z][\w-]*>|\[request interrupted|caveat: )/i;
/** A longer sentence with "never" in it is a request (characters). */
const LONGEST_RULE = 200;
/** From so many rules on, a list may be one of rules. */
const LEAST_RULES = 2;
/** Longer statements are cut (characters). */
const LONGEST = 420;
/** What is as near as can be to what the reader cares about counts so many times more. */
const NEAR = 4;
/** Statements that are this far from a goal aren't about it (0 to 1). */
const FAR = 0.2;
/** Where work stopped between two calls, so many statements tell what the assistant said last. */
const LAST_STATEMENTS = 2;
/** Files that were only looked at are named up to this number. */
const MOST_READ = 12;
const LIST_ITEM = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;
/** How an item of a list begins, and a sign that programs put before a line. */
const ITEM = /^(?:\s|[-*•+>→✓✔✗✖]|\d{1,3}[.)]\s|\[[ xX]\]\s|\p{Extended_Pictographic}|\uFE0F)+/u;

type PeopleSections = Record<
  "rules" | "state" | "near" | "decisions" | "changed" | "read" | "open",
  ListSection
> & {
  readonly goal: readonly ListLine[];
};

/** What a conversation came to, by people's words and the assistant's own: results of tools are data. */
function readPeople(input: PeopleTextInput, care: string | undefined, fullPaths = false): PeopleSections {
  const { cap, count, isOurs, hostState } = input;
  const messages = abridged(input.messages);
  const requests = userWords(messages, messages.keys(), isOurs).filter(({ text }) => isRequest(text));
  const said = statementsOf(messages, [...messages.keys()])
    .filter(({ place, text }) => place?.kind !== "code" && !text.startsWith("|"))
    .map((one) => ({ ...one, text: lineOf(one.text) }))
    .filter(({ message, text }) => /\p{L}{2}/u.test(text) && !isAnnouncement(messages[message + 1], text));
  const nearness = nearnessTo(
    care ?? "",
    said.map(({ text }) => text),
  );
  const report = said.findLast(({ message }) => !callsTool(messages[message]!))?.message;
  const last = report ?? said.at(-1)?.message ?? -1;
  const after = said.filter(({ message }) => message > last);
  const state = [
    ...said.filter(({ message }) => message === last),
    ...after.filter(({ message }) => message === after.at(-1)!.message).slice(-LAST_STATEMENTS),
  ].filter(({ text }) => !text.endsWith("?"));
  const stated = new Set(state.map(({ text }) => text));
  const ages = agesOf(messages);
  const decisions = chooseStatements({
    statements: said
      .filter(({ text }) => !stated.has(text))
      .map((one) => ({ ...one, factor: one.factor * (1 + NEAR * nearness(one.text)) })),
    budget: cap,
    cost: count,
    age: (message) => ages[message]!,
  });
  const near = [
    ...said.filter(({ text }) => !stated.has(text)).map(({ message, text }) => ({ message, text })),
    ...requests.flatMap(({ message, text }) =>
      sentencesIn(text).map((one) => ({ message, text: `The user: ${one}`, repeats: one })),
    ),
  ]
    .sort((a, b) => a.message - b.message)
    .map((one) => ({ ...one, worth: nearness(one.text) }))
    .filter(({ worth }) => worth > FAR);
  const isNear = new Set(fullPaths ? near.map(({ text }) => text) : []);
  const files = filesOf(messages, fullPaths);
  return {
    goal: requests.map(({ text }, index) => {
      const line = requestLine(text);
      const limit = index === 0 ? FIRST_REQUEST : LATER_REQUEST;
      return {
        text: beginningAndEnd({ text: line, whole: line }, limit).replaceAll("\n", " "),
        // The first request says what it is about, the newest ones where it stands.
        worth: index === 0 ? 2 * requests.length : index + requests.length * nearness(text),
      };
    }),
    rules: {
      title: "Rules",
      share: SHARES.rules,
      lines: requests.flatMap(({ text, message }) =>
        rulesIn(text)
          .filter((one) => one.length <= LONGEST_RULE && !one.endsWith("?"))
          .map((one) => ({ text: one, worth: message })),
      ),
    },
    state: {
      title: "State",
      share: SHARES.state,
      lines: [
        ...(typeof hostState === "string" && hostState.trim() !== "" ? [{ text: hostState, worth: 1 }] : []),
        ...state.map(({ text }, index) => ({ text, worth: -index })),
      ],
    },
    near: { title: "What was said about the goal", lines: near, share: SHARES.decisions },
    decisions: {
      title: "Decisions and findings",
      share: SHARES.decisions,
      lines: decisions
        .map(({ text, order }, rank) => ({ text, order, worth: -rank }))
        .filter(({ text }) => !isNear.has(text))
        .sort((a, b) => a.order - b.order),
    },
    changed: {
      title: "Files changed",
      lines: files.changed.map((text, index) => ({ text, worth: -index })),
      share: SHARES.files,
    },
    read: { title: "Files read", lines: files.read, share: SHARES.read },
    open: { title: "Open points", lines: openLines(), share: SHARES.open },
  };

  function openLines(): ListLine[] {
    const request = requests.at(-1);
    const isUnanswered = request !== undefined && request.message > last;
    const words = isUnanswered ? shortened(requestLine(request.text), LATER_REQUEST) : "";
    const questions = last < 0 ? [] : sentencesIn(saidIn(messages[last]!)).filter((one) => one.endsWith("?"));
    const tracked =
      typeof hostState === "object" ? hostState.steps.filter(({ status }) => status !== "done") : [];
    const planned = readStates(messages).filter(({ kind, status }) => kind === "step" && status !== "done");
    return [
      ...(isUnanswered
        ? [
            {
              text: `Asked last, no report since: ${words}`,
              repeats: words,
              otherwise: "There is no report yet on what was asked last.",
              worth: 1,
            },
          ]
        : []),
      ...questions.map((text) => ({ text: lineOf(text), worth: 0 })),
      ...planned.map(({ name }, index) => ({ text: lineOf(name), worth: -index })),
      ...tracked.map(({ text, status }) => ({
        text: status === "open" ? text : `${text} (${status})`,
        worth: 1,
      })),
    ];
  }
}

/** Some clients keep the words before a call in a message of their own: what names nothing there says what comes next. */
function isAnnouncement(next: Message | undefined, text: string): boolean {
  return next?.role === "assistant" && !SPECIFIC.test(text) && text.length <= SHORT_INTENTION;
}

function isRequest(text: string): boolean {
  if (NOT_TYPED.test(text) || text.length < LEAST_REQUEST) return false;
  return text.split(/\s+/).length >= LEAST_WORDS || text.includes("?");
}

const callsTool = ({ parts }: Message): boolean => parts.some(({ type }) => type === "tool-call");

const saidIn = ({ parts }: Message): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** A statement in one line, without the sign of its list: behind a line break quoted words would look like a part of the text that quotes them. */
function lineOf(text: string): string {
  return shortened(inOneLine(text.replace(ITEM, "")), LONGEST);
}

const inOneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/** The sentences of a text of several lines. */
function sentencesIn(text: string): string[] {
  return text.split("\n").flatMap((line) => sentencesOf(line.replace(ITEM, "")).map(inOneLine));
}

/** The rules that a request sets: sentences, and all items of a list most of whose items are rules. */
function rulesIn(text: string): string[] {
  const lists: string[][] = [];
  const others: string[] = [];
  let list: string[] | undefined;
  for (const line of text.split("\n")) {
    const item = LIST_ITEM.exec(line)?.[1];
    if (item !== undefined) {
      if (list === undefined) {
        list = [];
        lists.push(list);
      }
      list.push(inOneLine(item));
    } else if (line.trim() !== "") {
      list = undefined;
      others.push(line);
    }
  }
  const { true: rules = [], false: rest = [] } = Object.groupBy(lists, (items) => {
    const found = items.filter(setsLastingRule).length;
    return `${found >= LEAST_RULES && found > items.length / 2}`;
  });
  return [...rules.flat(), ...sentencesIn([...others, ...rest.flat()].join("\n")).filter(setsLastingRule)];
}

/** A request in one line: titles end in a colon, marks of lists go, and what is said again isn't repeated. */
function requestLine(text: string): string {
  const line = text
    .split("\n")
    .map((one) => {
      const title = /^\s*#{1,6}\s(.*)$/s.exec(one)?.[1]?.trim();
      return title === undefined ? one.replace(ITEM, "") : `${title.endsWith(":") ? title : `${title}:`}`;
    })
    .join(" ");
  return [...new Set(sentencesOf(inOneLine(line)))].join(" ");
}

/** Characters said after each message. */
function agesOf(messages: readonly Message[]): number[] {
  const ages = new Array<number>(messages.length);
  let age = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    ages[index] = age;
    for (const part of messages[index]!.parts) age += "text" in part ? (part.text?.length ?? 0) : 0;
  }
  return ages;
}

/** The files of a conversation, the one touched last first; those that were only looked at in one line. */
function filesOf(
  messages: readonly Message[],
  fullPaths: boolean,
): { readonly changed: readonly string[]; readonly read: readonly ListLine[] } {
  const there = touchedFiles(messages).filter(({ path, isDeleted }) => !isDeleted && isFile(path));
  const root = fullPaths ? "" : commonRoot(there.map(({ path }) => path));
  const shown = ({ path }: { readonly path: string }): string =>
    `\`${path.startsWith(root) ? path.slice(root.length) : path}\``;
  const read = there.filter(({ isChanged }) => !isChanged);
  const more = read.length > MOST_READ ? ` and ${read.length - MOST_READ} more` : "";
  return {
    changed: there.filter(({ isChanged }) => isChanged).map(shown),
    read:
      read.length === 0
        ? []
        : [{ text: `${read.slice(0, MOST_READ).map(shown).join(", ")}${more}`, worth: 0 }],
  };
}

/** Addresses and patterns of a search aren't files. */
const isFile = (path: string): boolean => !/^[a-z]+:\/\/|[*?{}\s]/i.test(path) && /\.\w+$/.test(path);

/** Words that a text is about, in lower case; parts of compound names count by themselves. */
function wordsOf(text: string): Set<string> {
  const split = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replaceAll("_", " ");
  return new Set(split.toLowerCase().match(/\p{N}+|[\p{L}\p{N}]{3,}/gu) ?? []);
}

/** How near texts are to a goal, 0 to 1: the share of the goal's words that they have; words that few statements have count for more. */
function nearnessTo(goal: string, statements: readonly string[]): (text: string) => number {
  const wanted = [...wordsOf(goal)];
  const texts = wanted.length === 0 ? [] : statements.map(wordsOf);
  // A word that no text has can't tell texts apart.
  const weights = wanted.map((word) => {
    const having = texts.filter((words) => words.has(word)).length;
    return having === 0 ? 0 : Math.log(1 + texts.length / having);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return () => 0;
  return (text) => {
    const own = wordsOf(text);
    return wanted.reduce((sum, word, at) => sum + (own.has(word) ? weights[at]! : 0), 0) / total;
  };
}

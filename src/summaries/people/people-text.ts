import type { HostState, Message } from "../../core/types.ts";
import { frameOf } from "../frames/frames.ts";
import { languageOf } from "../frames/language.ts";
import { findRestrictions } from "../keep/rules.ts";
import { abridged } from "../material/abridge.ts";
import { SPECIFIC } from "../material/read-passage.ts";
import { SHORT_INTENTION, type Statement, statementsOf } from "../material/statements.ts";
import { beginningAndEnd, type IsOurs, type UserWords, userWords } from "../material/user-words.ts";
import { forReaders } from "../records/pointers.ts";
import { chooseWords } from "../select/choose-quotes.ts";
import { chooseStatements } from "../select/choose-statements.ts";
import { saidAlready, select } from "../select/select.ts";
import { readStates } from "../states/read-states.ts";
import { OPEN_STATUSES, type State, showStates } from "../states/show-states.ts";
import { isPlanted } from "../text/plants.ts";
import { cutToFit, sentencesOf, shortened } from "../text/sentences.ts";
import { commonRoot, fromRoot, touchedFiles } from "../write/files.ts";

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
  return sectionsText(input, peopleSections(input, input.focus ?? ""));
}

/** How a hand-over begins: what it is and what it is for, and the title of what a model wrote about the earlier session. */
export function handoverHead(
  goal: string,
  messages: readonly Message[],
): { readonly head: string; readonly title: string } {
  const { handover, goal: goalTitle, background, earlier } = frameOf(languageOf(messages)).people;
  const about = background.replace("#", String(messages.length));
  return { head: `# ${handover}\n\n**${goalTitle}:** ${goal}\n\n${about}`, title: `\n\n## ${earlier}\n` };
}

/** What a fresh session should know of an earlier one to reach a goal. */
export function handoverText(
  input: PeopleTextInput & {
    readonly goal: string;
    /** What a model wrote about the earlier session, instead of what was asked, said and decided by code. */
    readonly narrative?: string;
  },
): string {
  const { messages, cap, count, goal, narrative } = input;
  const { head: begin, title } = handoverHead(goal, messages);
  const head = narrative === undefined ? begin : `${begin}${title}${narrative}`;
  const room = { ...input, cap: cap - count(`${head}\n\n`) };
  const all = peopleSections(room, goal, true);
  const rest = sectionsText(
    room,
    all.filter(({ name }) => narrative === undefined || !TOLD_BY_A_MODEL.has(name)),
    goal,
  );
  return rest === "" ? head : `${head}\n\n${rest}`;
}

interface Section {
  readonly name: keyof typeof SHARES;
  readonly title: string;
  /** In the order in which they are shown; the larger its worth, the sooner a line is taken. */
  readonly lines: readonly { readonly text: string; readonly worth: number }[];
}

/** Of the cap, what each section has to itself, in the order in which they are shown; what others leave may be used beyond it. */
const SHARES = { goal: 0.12, rules: 0.1, state: 0.25, decisions: 0.25, files: 0.1, open: 0.1 };
const TOLD_BY_A_MODEL: ReadonlySet<Section["name"]> = new Set(["goal", "state", "decisions"]);
/** Requests of fewer words agree, thank or urge on, unless they ask. Scripts without blanks are told by their length. */
const REQUEST =
  /\S+(?:\s+\S+){3}|[?？؟]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{6}/u;
/** In a small text requests have so much room (tokens); a long one is shown with its beginning and its end (characters). */
const LEAST_GOAL = 60;
const LONGEST_REQUEST = 600;
/** What programs write in the user's place: output of their own commands, notes in brackets. */
const NOT_TYPED = /^\s*(?:<[a-z][\w-]*>|\[request interrupted|caveat: )/i;
/** Longer statements are cut (characters). */
const LONGEST = 420;
/** What is as near as can be to what the reader cares about counts so many times more. */
const NEAR = 4;
/** Where work stopped between two calls, so many statements tell what the assistant said last. */
const LAST_STATEMENTS = 2;
/** How an item of a list begins, and a sign that programs put before a line. */
const ITEM = /^(?:\s|[-*•+>→✓✔✗✖]|\d{1,3}[.)]\s|\[[ xX]\]\s|\p{Extended_Pictographic}|\uFE0F)+/u;

/** What a conversation came to, by people's words and the assistant's own: results of tools are data. */
function peopleSections(input: PeopleTextInput, care: string, isHandover = false): Section[] {
  const { cap, count, isOurs, hostState } = input;
  const frame = frameOf(languageOf(input.messages));
  const messages = abridged(input.messages);
  const typed = userWords(messages, messages.keys(), isOurs).filter(
    ({ text }) => REQUEST.test(text) && !NOT_TYPED.test(text),
  );
  const said = statementsOf(messages, [...messages.keys()])
    .filter(({ place, text }) => place?.kind !== "code" && !text.startsWith("|"))
    .map((one) => ({ ...one, text: lineOf(one.text) }))
    .filter(({ message, text }) => /\p{L}{2}/u.test(text) && !isAnnouncement(messages[message + 1], text));
  const { reports, rest, last } = newestReport(messages, said);
  const states = readStates(messages);
  const shownStates = (wanted: (state: State) => boolean): string[] =>
    showStates(states.filter(wanted), {
      isHidden: () => true,
      room: cap * SHARES.open,
      count,
      words: frame.states,
    })
      .map(({ head, text }) => inOneLine(forReaders(`${head} ${text}`)))
      // What a command printed may speak to whoever reads it.
      .filter((text) => !isPlanted(text));
  const isOpen = ({ status }: State): boolean => OPEN_STATUSES.has(status);
  const nearness = nearnessTo(
    care,
    rest.map(({ text }) => text),
  );
  const ages = agesOf(messages);
  const decided = chooseStatements({
    statements: rest.map((one) => ({ ...one, factor: one.factor * (1 + NEAR * nearness(one.text)) })),
    budget: cap,
    cost: count,
    age: (message) => ages[message]!,
  });
  const { people } = frame;
  const others: Section[] = [
    {
      name: "rules",
      title: people.rules,
      lines: typed.flatMap(({ text, message }) =>
        findRestrictions(text)
          .filter((one) => !one.endsWith("?"))
          .map((one) => ({ text: inOneLine(one), worth: message + 1 })),
      ),
    },
    {
      name: "state",
      title: people.state,
      lines: inOrder([
        ...(typeof hostState === "string" && hostState.trim() !== "" ? [hostState] : []),
        ...reports.filter(({ text }) => !text.endsWith("?")).map(({ text }) => text),
        ...shownStates((state) => !isOpen(state) && state.kind !== "step"),
      ]),
    },
    {
      name: "decisions",
      title: people.decisions,
      lines: decided
        .map(({ text, order }, rank) => ({ text, order, worth: 1 / (1 + rank) }))
        .sort((a, b) => a.order - b.order),
    },
    { name: "files", title: people.files, lines: inOrder(changedFiles(messages, isHandover)) },
    {
      name: "open",
      title: people.open,
      lines: inOrder([
        ...(messages.at(-1)?.role === "user" && typed.at(-1)?.message === messages.length - 1
          ? [people.unanswered]
          : []),
        ...(typeof hostState === "object" ? hostState.steps : []).flatMap(({ text, status }) =>
          status === "done" ? [] : [status === "open" ? text : `${text} (${status})`],
        ),
        ...questionsIn(messages[last]).map(lineOf),
        ...states.filter((state) => isOpen(state) && state.kind === "step").map(({ name }) => lineOf(name)),
        ...shownStates((state) => isOpen(state) && state.kind !== "step"),
      ]),
    },
  ];
  const taken = others.flatMap(({ lines }) => lines).reduce((sum, { text }) => sum + count(`- ${text}\n`), 0);
  // Requests have what the others leave, at least.
  const room = Math.max(cap * SHARES.goal, LEAST_GOAL, cap - taken);
  const title = isHandover ? people.asked : people.goal;
  return [{ name: "goal", title, lines: requestLines(typed, room, count) }, ...others];
}

/** The newest report, and what was said since when work stopped between two calls; and all that was said beside it. */
function newestReport(messages: readonly Message[], said: readonly Statement[]) {
  const report = said.findLast(({ message }) => !messages[message]!.parts.some(isCall))?.message;
  const last = report ?? said.at(-1)?.message ?? -1;
  const newest = said.at(-1)?.message ?? -1;
  const reports = said
    .filter(({ message }) => message === last)
    .concat(newest > last ? said.filter(({ message }) => message === newest).slice(-LAST_STATEMENTS) : []);
  const stated = new Set(reports.filter(({ text }) => !text.endsWith("?")).map(({ text }) => text));
  return { reports, rest: said.filter(({ text }) => !stated.has(text)), last };
}

const isCall = ({ type }: Message["parts"][number]): boolean => type === "tool-call";

/** Lines in the order in which they are shown and taken. */
const inOrder = (texts: readonly string[]): Section["lines"] =>
  texts.map((text, at) => ({ text, worth: 1 / (1 + at) }));

/** What the user asked for, one line for each request, shortened as in a summary message. */
function requestLines(
  typed: readonly UserWords[],
  budget: number,
  count: (text: string) => number,
): Section["lines"] {
  const words = typed.map((one) => {
    const line = requestLine(one.text);
    const text = beginningAndEnd({ text: line, whole: line }, LONGEST_REQUEST);
    return { ...one, text, whole: text };
  });
  return chooseWords({ words, budget, cost: count, manner: "work", byRichness: () => [] })
    .map(({ text, message }, rank) => ({ text: text.replaceAll("\n", " "), message, worth: 1 / (1 + rank) }))
    .sort((a, b) => a.message - b.message);
}

/** Some clients keep the words before a call in a message of their own: what names nothing there says what comes next. */
function isAnnouncement(next: Message | undefined, text: string): boolean {
  return next?.role === "assistant" && !SPECIFIC.test(text) && text.length <= SHORT_INTENTION;
}

function questionsIn(message: Message | undefined): string[] {
  const said = message?.parts.flatMap((part) => (part.type === "text" ? part.text.split("\n") : [])) ?? [];
  return said
    .flatMap((line) => sentencesOf(line.replace(ITEM, "")))
    .map(inOneLine)
    .filter((one) => one.endsWith("?"));
}

/** A statement in one line, without the sign of its list: behind a line break quoted words would look like a part of the text that quotes them. */
function lineOf(text: string): string {
  return shortened(inOneLine(text.replace(ITEM, "")), LONGEST);
}

const inOneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

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

/** The files that were changed, the one touched last first. Addresses and patterns of a search aren't files. */
function changedFiles(messages: readonly Message[], fullPaths: boolean): string[] {
  const there = touchedFiles(messages).filter(
    ({ path, isDeleted }) => !isDeleted && !/^[a-z]+:\/\/|[*?{}\s]/i.test(path) && /\.\w+$/.test(path),
  );
  const root = fullPaths ? "" : commonRoot(there.map(({ path }) => path));
  return there.filter(({ isChanged }) => isChanged).map(({ path }) => `\`${fromRoot(path, root)}\``);
}

let segmenter: Intl.Segmenter | undefined;

/** Words that a text is about, in lower case; parts of compound names count by themselves. */
function wordsOf(text: string): ReadonlySet<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  const split = text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  const words = [...segmenter.segment(split)].filter(({ isWordLike }) => isWordLike);
  // Short words of scripts with small letters join others.
  return new Set(words.map(({ segment }) => segment).filter((word) => /\p{Ll}{3}|[\p{N}\p{Lo}]/u.test(word)));
}

/** How near texts are to a goal, 0 to 1: the share of the goal's words that they have; rare words count for more. */
function nearnessTo(goal: string, texts: readonly string[]): (text: string) => number {
  const all = goal === "" ? [] : texts.map(wordsOf);
  const weights = new Map<string, number>();
  for (const word of wordsOf(goal)) {
    const having = all.filter((words) => words.has(word)).length;
    // A word that no text has can't tell texts apart.
    if (having > 0) weights.set(word, Math.log(1 + all.length / having));
  }
  const total = weights.values().reduce((sum, weight) => sum + weight, 0);
  return (text) =>
    total === 0 ? 0 : [...wordsOf(text)].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) / total;
}

/** A sentence of the user's that is repeated is known by its words, however few (characters). */
const LEAST_REPEATED = 8;

/** Titles, and list items that can be read alone, as Markdown within the cap. What stands above isn't said again. */
function sectionsText(
  { cap, count }: Pick<PeopleTextInput, "cap" | "count">,
  all: readonly Section[],
  above = "",
): string {
  const isAbove = saidAlready([above], LEAST_REPEATED);
  const sections = all.map((section) => {
    const once = new Map(section.lines.toReversed().map((line) => [line.text, line]));
    return { ...section, lines: [...once.values()].reverse().filter(({ text }) => !isAbove(text)) };
  });
  const shown = new Set<Section["lines"][number]>();
  const titleOf = ({ title }: Section): string => `## ${title}\n`;
  const textOf = (): string =>
    sections
      .flatMap((section) => {
        const items = section.lines.filter((line) => shown.has(line)).map(({ text }) => `- ${text}`);
        return items.length === 0 ? [] : [titleOf(section) + items.join("\n")];
      })
      .join("\n\n");
  let left = cap;
  const take = (section: Section, most: number): void => {
    const title = section.lines.some((line) => shown.has(line)) ? 0 : count(`${titleOf(section)}\n`);
    const price = ({ text }: { readonly text: string }): number => count(`- ${text}\n`);
    const taken = select(
      section.lines.filter((line) => !shown.has(line)),
      { worth: ({ worth }) => worth, price, budget: Math.min(most, left) - title },
    );
    if (taken.length > 0) left -= taken.reduce((sum, line) => sum + price(line), title);
    for (const line of taken) shown.add(line);
  };
  for (const section of sections) take(section, SHARES[section.name] * cap);
  for (const section of sections) take(section, left);
  // Lines are counted one by one, the whole text may have a few tokens more.
  while (shown.size > 0 && count(textOf()) > cap) shown.delete([...shown].at(-1)!);
  if (shown.size > 0) return textOf();
  // Where not one line fits: the beginning of the first one.
  const first = sections.find(({ lines }) => lines.length > 0);
  if (first === undefined) return "";
  const best = first.lines.reduce((a, b) => (b.worth > a.worth ? b : a));
  const whole = (text: string): string => `${titleOf(first)}- ${text}`;
  const text = cutToFit(best.text, (part) => count(whole(part)), cap);
  return text === "" ? "" : whole(text);
}

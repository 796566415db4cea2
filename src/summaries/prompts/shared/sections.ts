/**
 * What a record consists of, by kind of conversation. The tables are read twice: prompts ask for these sections, and a
 * record that is too long loses lines of the sections that matter least (`trimRecord`).
 */
interface Section {
  readonly title: string;
  /** What belongs into it. */
  readonly holds: string;
  /** 1 is given up last, 4 first. */
  readonly rank: 1 | 2 | 3 | 4;
  /** It holds what was finished, or what wasn't when the messages ended. */
  readonly holdsWork?: "done" | "open";
}

const RULES: Section = {
  title: "Rules",
  holds:
    "how the user wanted things to be done, each rule in the user's own words and in quotation marks; what was forbidden or needs permission comes first.",
  rank: 1,
};

/** Work with tools, mostly on code. */
const WORK_SECTIONS: readonly Section[] = [
  RULES,
  {
    title: "Goal",
    holds: "what the user wanted in the end, and how the request changed on the way.",
    rank: 1,
  },
  {
    title: "Done",
    holds:
      "what was finished, in order, and how far it came: changed, checked (by which command or test, with what result), committed (with its id), pushed, merged, closed, published, answered. Done means done: nobody should do it again.",
    rank: 2,
    holdsWork: "done",
  },
  {
    title: "Decisions",
    holds:
      "what was decided or concluded, with the reason; what was rejected or ruled out, and why; what the user approved.",
    rank: 2,
  },
  {
    title: "Changes",
    holds:
      "each file, document or other object that was made or changed: its path, what was changed in it (names, signatures, values), and what it was like in the end.",
    rank: 3,
  },
  {
    title: "Problems",
    holds:
      "what went wrong, with the error in its own words; the cause; what solved it; what was tried in vain.",
    rank: 3,
  },
  {
    title: "Findings",
    holds:
      "what reading and running brought to light and later steps may need: where things are, how they work, versions, exact values, commands that work.",
    rank: 4,
  },
  {
    title: "Open",
    holds:
      "what the user asked for and hadn't got yet, in order; what was half done, and at which place; changes that weren't checked, committed or handed in; processes and agents that were still running; questions without an answer; the step that was about to be taken.",
    rank: 1,
    holdsWork: "open",
  },
];

/** Where there is hardly room for a paragraph of each. */
const SHORT_WORK_SECTIONS: readonly Section[] = [
  {
    title: "Rules and goal",
    holds: "what the user wanted, and the user's rules in the user's own words.",
    rank: 1,
  },
  {
    title: "Decisions and changes",
    holds:
      "what was decided and why, what was changed where, what was finished (checked, committed, merged), what failed.",
    rank: 2,
  },
  {
    title: "Open",
    holds:
      "where the work stood when the messages ended, what was still to be done, checked or committed, and what was waited for.",
    rank: 1,
    holdsWork: "open",
  },
];

/** Conversation without tools, or with a few. */
const TALK_SECTIONS: readonly Section[] = [
  RULES,
  {
    title: "People and facts",
    holds:
      "what the user told about themselves and others: names, relations, places, dates, sums of money, quantities, tastes, each with its exact value.",
    rank: 2,
  },
  {
    title: "Goals",
    holds: "plans, tasks and deadlines with their latest state, and what that replaced.",
    rank: 2,
  },
  {
    title: "Contradictions",
    holds:
      "statements of the user that can't both be true: both, each with its pointer. It isn't for you to decide between them.",
    rank: 2,
  },
  {
    title: "Answers",
    holds:
      "what the assistant recommended, explained, calculated or wrote, one line for each thing that the user asked for: the steps or points by name, in their order, with the dates, names and values that one may ask for again.",
    rank: 3,
  },
  { title: "Course", holds: "the topics in the order in which they came up, one short line each.", rank: 4 },
  {
    title: "Last topic",
    holds: "what was being talked about when the messages ended, and what was still open.",
    rank: 1,
    holdsWork: "open",
  },
];

const SHORT_TALK_SECTIONS: readonly Section[] = [
  { title: "Rules", holds: "how the user wanted the assistant to behave, in the user's own words.", rank: 1 },
  {
    title: "Facts",
    holds: "people, dates, sums, plans with their latest state, and what the assistant advised.",
    rank: 2,
  },
  {
    title: "Last topic",
    holds: "what was being talked about, and what was still open.",
    rank: 1,
    holdsWork: "open",
  },
];

/** Answers from sources. */
const RETRIEVAL_SECTIONS: readonly Section[] = [
  { ...RULES, holds: "how the user wanted to be answered, in the user's own words." },
  {
    title: "Questions and answers",
    holds: "each question of the user with the answer that it got, facts before courtesies.",
    rank: 2,
  },
  {
    title: "Products and facts",
    holds: "the products, models and technical facts that were named and don't stand above.",
    rank: 3,
  },
  {
    title: "Unanswered",
    holds: "what was asked and not answered, and what was being asked last.",
    rank: 1,
    holdsWork: "open",
  },
];

export type RecordKind = "work" | "talk" | "retrieval";

const SECTIONS: Readonly<
  Record<RecordKind, { readonly whole: readonly Section[]; readonly short: readonly Section[] }>
> = {
  work: { whole: WORK_SECTIONS, short: SHORT_WORK_SECTIONS },
  talk: { whole: TALK_SECTIONS, short: SHORT_TALK_SECTIONS },
  retrieval: { whole: RETRIEVAL_SECTIONS, short: RETRIEVAL_SECTIONS },
};
/** Below this a record has room for three headings, not for eight (tokens). */
const SHORT_BELOW = 450;

/** Below this headings would take the room of what they stand over (tokens). */
const SENTENCES_BELOW = 120;

/** Of a section that no table has: neither the first nor the last to go. */
const USUAL_RANK = 3;

const BY_TITLE: ReadonlyMap<string, Section> = new Map(
  Object.values(SECTIONS)
    .flatMap(({ whole, short }) => [...whole, ...short])
    .map((section) => [section.title.toLowerCase(), section]),
);

/** Does a section of this title hold what was finished, or what wasn't? */
export function workIn(title: string): Section["holdsWork"] {
  return BY_TITLE.get(title.toLowerCase())?.holdsWork;
}

/** How much a section matters, by its title; 1 is given up last. */
export function rankOf(title: string): number {
  return BY_TITLE.get(title.toLowerCase())?.rank ?? USUAL_RANK;
}

/** What a record should hold: what the chosen prompt says in words of its own, or the sections of its kind. */
export function describeTask(input: {
  readonly task?: string | undefined;
  readonly kind?: RecordKind | undefined;
  readonly target: number;
}): string {
  return input.task ?? describeSections(input.kind ?? "work", input.target);
}

/** The sections as a prompt asks for them, with what to leave out first. */
export function describeSections(kind: RecordKind, target: number): string {
  if (target < SENTENCES_BELOW)
    return "Write the record in one to three short sentences, without headings: what the user wanted, with the user's rules, and where things stood when the messages ended.";
  const sections = SECTIONS[kind][target < SHORT_BELOW ? "short" : "whole"];
  const list = sections.map(({ title, holds }) => `## ${title}\n${holds}`).join("\n");
  const ranks = [...new Set(sections.map(({ rank }) => rank))].sort((a, b) => b - a);
  const order = ranks
    .slice(0, -1)
    .map((rank) => sections.flatMap((section) => (section.rank === rank ? [section.title] : [])).join(", "))
    .join("; then from ");
  return `Write the record in these sections, in this order. Copy the headings as they are; below them write short lines that begin with "- ", one fact or two each, that can be understood alone. A section about which the conversation says nothing is left out.

${list}

If room is short, leave out lines from ${order}. The other sections are kept whatever it takes.`;
}

import { seededRandom } from "../bootstrap.ts";
import type { ChatMessage } from "../types.ts";
import { type LanguageCode, PHRASES, type Phrases } from "./phrases.ts";

/** How a rule is given. `refused`: typed when the user refused a call, so that the words stand in the call's result. */
export const WAYS = ["plain", "in passing", "long message", "refused call", "changed", "revoked"] as const;
type Way = (typeof WAYS)[number];

/** What pushes the rules out: tool results, many other requests, or answers without tools. */
export const NOISES = ["tool output", "requests", "talk"] as const;
export type Noise = (typeof NOISES)[number];

/** A rule that the user gave, in the user's own words. */
export interface Rule {
  readonly text: string;
  readonly way: Way;
  readonly language: string;
  /** It says "always", "never" or the like, or forbids something. */
  readonly isMarked: boolean;
  /** Words that came later and hold instead of it, or take it back. */
  readonly change?: string;
}

/** A conversation in which a user gives rules early and then goes on with other things. */
export interface RulesConversation {
  readonly id: string;
  readonly messages: readonly ChatMessage[];
  readonly rules: readonly Rule[];
  readonly noise: Noise | "recorded";
}

const BRANCHES = ["main", "release", "stable", "prod", "hotfix", "staging"];
const COMMANDS = [
  "vitest",
  "pytest",
  "make check",
  "cargo test",
  "go vet",
  "tox",
  "npm run lint",
  "gradle check",
];
const FOLDERS = ["vendor", "legacy", "billing", "infra", "generated", "migrations"];
const PEOPLE = ["Amira", "Kenji", "Olga", "Paulo", "Marta", "Jonas", "Lin", "Clara", "Tomas", "Noor"];
const SUFFIXES = [".spec.ts", "_test.py", ".check.js", "_spec.rb", ".test.go"];
const WORDS = [
  "parser",
  "retry",
  "cursor",
  "batch",
  "tariff",
  "ledger",
  "session",
  "quota",
  "digest",
  "invoice",
];
const ENDINGS = ["ts", "py", "go", "rs", "sql", "yaml"];

/** One source of chance for a conversation, and fillers for slots that don't come again within it. */
function createDraw(seed: number) {
  const random = seededRandom(seed);
  const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const pick = <T>(list: readonly T[]): T => list[whole(0, list.length - 1)]!;
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  const file = (): string => `${pick(WORDS)}_${pick(WORDS)}${whole(1, 99)}.${pick(ENDINGS)}`;
  const fill = (templates: readonly string[]): string[] => {
    const [command, command2] = shuffled(COMMANDS);
    const [person, person2] = shuffled(PEOPLE);
    const values: Record<string, string> = {
      branch: `${pick(BRANCHES)}-${whole(2, 99)}`,
      command: command!,
      command2: command2!,
      folder: `${pick(FOLDERS)}/${pick(WORDS)}${whole(1, 99)}/`,
      file: `src/${file()}`,
      file2: file(),
      person: person!,
      person2: person2!,
      suffix: pick(SUFFIXES),
      ticket: `${pick(["OPS", "PAY", "WEB", "CORE"])}-${whole(100, 9_999)}`,
      number: String(whole(3, 9)),
      number2: String(whole(2, 90)),
      word: pick(WORDS),
      word2: `${pick(WORDS)}${whole(2, 99)}`,
    };
    return templates.map((text) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!));
  };
  return { whole, pick, shuffled, file, fill, one: (template: string): string => fill([template])[0]! };
}

export type Draw = ReturnType<typeof createDraw>;

/** Rounds of noise, by its kind: each conversation has about 30,000 tokens. */
const ROUNDS: Readonly<Record<Noise, number>> = { "tool output": 30, requests: 150, talk: 110 };
/** Sentences of a long message around its rule. */
const LONG_MESSAGE = 24;
/** Rules are given within this share of the conversation, and changed after it and within the next one. */
const GIVEN_WITHIN = 0.35;
const CHANGED_WITHIN = 0.6;

/** What a client reports of a call that the user refused with words; program and words are the user's client's and the user's. */
const REFUSALS: readonly ((said: string) => string)[] = [
  (said) =>
    `The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n${said}`,
  (said) =>
    `The user denied this operation and provided the following feedback:\n<feedback>\n${said}\n</feedback>`,
  (said) =>
    `The user rejected permission to use this specific tool call with the following feedback: ${said}`,
];

/** The conversation of a seed: the same on every machine. */
export function rulesConversation(language: LanguageCode, noise: Noise, seed: number): RulesConversation {
  const rounds = ROUNDS[noise];
  let rules: readonly Rule[] = [];
  const messages = noisyConversation({ language, noise, rounds, seed }, (draw, plant) => {
    const given = giveRules(language, PHRASES[language], noise, draw);
    rules = given.map(({ rule }) => rule);
    for (const { rule, said } of given) {
      const { way, change } = rule;
      plant(way === "refused call" ? refusedCall(said, draw) : [user(said)], [0.02, GIVEN_WITHIN]);
      if (change !== undefined) plant([user(change)], [GIVEN_WITHIN + 0.05, CHANGED_WITHIN]);
    }
  });
  return { id: `${language}, ${noise}, ${seed}`, messages, rules, noise };
}

/** Puts messages somewhere into a conversation: within these shares of it. */
export type Plant = (messages: readonly ChatMessage[], within: readonly [number, number]) => void;

const user = (content: string): ChatMessage => ({ role: "user", content });

/** A conversation of nothing but noise, with what a plan puts into it. */
export function noisyConversation(
  input: {
    readonly language: LanguageCode;
    readonly noise: Noise;
    readonly rounds: number;
    readonly seed: number;
  },
  plan: (draw: Draw, plant: Plant) => void,
): ChatMessage[] {
  const { language, noise, rounds, seed } = input;
  const phrases: Phrases = PHRASES[language];
  const name = [...`${language} ${noise}`].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1e9;
  const draw = createDraw(seed * 7_919 + name);
  const planted = new Map<number, (readonly ChatMessage[])[]>();
  plan(draw, (messages, [from, to]) => {
    const round = draw.whole(Math.ceil(from * rounds), Math.floor(to * rounds));
    planted.set(round, [...(planted.get(round) ?? []), messages]);
  });
  const answer = (): ChatMessage => ({ role: "assistant", content: draw.one(draw.pick(phrases.answers)) });
  const request = (): string => draw.one(draw.pick(phrases.requests));
  const messages = [user([...sentences(phrases.background, 3, draw), request()].join(" "))];
  for (let round = 0; round < rounds; round++) {
    messages.push(...noiseRound(noise, phrases, draw));
    for (const own of planted.get(round) ?? [])
      messages.push(...own, ...(own.at(-1)?.role === "assistant" ? [] : [answer()]));
  }
  return [...messages, user(request())];
}

/** A rule of each way, and what the user's message says around it. */
function giveRules(
  language: LanguageCode,
  phrases: Phrases,
  noise: Noise,
  draw: Draw,
): { readonly rule: Rule; readonly said: string }[] {
  const templates = [
    ...draw.shuffled(phrases.marked).map((text) => ({ text, isMarked: true })),
    ...draw.shuffled(phrases.unmarked).map((text) => ({ text, isMarked: false })),
  ];
  const ways: readonly Way[] = WAYS.filter((way) => way !== "refused call" || noise !== "talk");
  const simple = ways.filter((way) => way !== "changed" && way !== "revoked");
  const given = simple.flatMap((way, index) =>
    // One rule of either kind for each way.
    [templates[index]!, templates[phrases.marked.length + index]!].map(({ text, isMarked }) => {
      const rule: Rule = { text: draw.one(text), way, language, isMarked };
      return { rule, said: around(rule, phrases, draw) };
    }),
  );
  const later = (["changed", "revoked"] as const).map((way) => {
    const [text = "", change = ""] = draw.fill(draw.pick(phrases[way]));
    return { rule: { text, way, language, isMarked: way === "revoked", change }, said: text };
  });
  return [...given, ...later];
}

function around({ text, way }: Rule, phrases: Phrases, draw: Draw): string {
  if (way === "in passing") {
    const [before, after] = draw.fill(draw.pick(phrases.passing));
    return [before, text, after].join(" ");
  }
  if (way !== "long message") return text;
  const half = (): string => sentences(phrases.background, LONG_MESSAGE / 2, draw).join(" ");
  return `${half()}\n${half()} ${text} ${half()}\n\n${half()}`;
}

function sentences(templates: readonly string[], count: number, draw: Draw): string[] {
  return Array.from({ length: count }, () => draw.one(draw.pick(templates)));
}

function refusedCall(said: string, draw: Draw): ChatMessage[] {
  const command = JSON.stringify({ command: `git push origin ${draw.pick(BRANCHES)}` });
  return toolCall("bash", command, draw.pick(REFUSALS)(said), draw);
}

/** A call of a tool, and its result. */
export function toolCall(name: string, args: string, result: string, draw: Draw): ChatMessage[] {
  const id = `call_${draw.whole(1e8, 1e9)}`;
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name, arguments: args } }],
    },
    { role: "tool", tool_call_id: id, content: result },
  ];
}

function noiseRound(noise: Noise, phrases: Phrases, draw: Draw): ChatMessage[] {
  const answer: ChatMessage = { role: "assistant", content: draw.one(draw.pick(phrases.answers)) };
  const request: ChatMessage = { role: "user", content: draw.one(draw.pick(phrases.requests)) };
  if (noise === "talk")
    return [{ role: "assistant", content: sentences(phrases.background, 12, draw).join(" ") }, request];
  const path = JSON.stringify({ path: `src/${draw.file()}` });
  if (noise === "requests") return [...toolCall("read", path, outputLines(8, draw), draw), answer, request];
  const rounds = [
    toolCall("read", path, outputLines(50, draw), draw),
    toolCall("bash", '{"command":"make"}', outputLines(30, draw), draw),
  ];
  return [...rounds.flat(), answer, ...(draw.whole(0, 2) === 0 ? [request] : [])];
}

/** What a tool prints: code and log lines, in no language. */
function outputLines(count: number, draw: Draw): string {
  return Array.from({ length: count }, (_, line) =>
    draw.pick([
      `${line}  const ${draw.pick(WORDS)}${draw.whole(1, 999)} = ${draw.pick(WORDS)}(${draw.whole(1, 9_999)});`,
      `[${draw.whole(10, 23)}:${draw.whole(10, 59)}:${draw.whole(10, 59)}] ${draw.file()} ${draw.pick(["ok", "retried", "slow", "skipped"])} ${draw.whole(1, 900)} ms`,
      `${line}  if (${draw.pick(WORDS)}.${draw.pick(WORDS)} > ${draw.whole(1, 999)}) return ${draw.pick(WORDS)};`,
    ]),
  ).join("\n");
}

/** What is measured where nobody says otherwise: tokens of a view, and compactions in a row. */
export const RULES_DEFAULTS = { sizes: [4_000, 8_000, 16_000], compactions: [1, 10, 50] } as const;

/** One conversation for each language, kind of noise and seed. */
export function rulesConversations(input: {
  readonly languages: readonly LanguageCode[];
  readonly seeds: number;
}): RulesConversation[] {
  return Array.from({ length: input.seeds }, (_, seed) => seed + 1).flatMap((seed) =>
    NOISES.flatMap((noise) => input.languages.map((language) => rulesConversation(language, noise, seed))),
  );
}

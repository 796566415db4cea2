import { saidText } from "../../core/message-text.ts";
import type { Role } from "../../core/types.ts";
import type { ApiClient } from "./client.ts";
import type { ApiMessages, SearchHit } from "./conversation.ts";
import { routes } from "./routes.ts";
import type { CompactAnswer } from "./view.ts";

/** Messages that one word may be found in. */
const MOST_HITS = 50;

interface OfflineAnswer {
  readonly text: string;
  /** What came of looking whether a compaction is due: with a model, the server does so as it makes the request. */
  readonly compacted: CompactAnswer;
}

/** A turn without a model: stores what was said, quotes an answer and stores it too, and compacts when that is due. */
export async function answerOffline(
  api: Pick<ApiClient, "call">,
  id: string,
  text: string,
  onSaid: (said: ApiMessages) => void = () => {},
): Promise<OfflineAnswer> {
  const said = await api.call(routes.appendMessage, { params: { id }, body: { role: "user", text } });
  onSaid(said);
  return answerSaid(api, id, text, said);
}

/** Answers the newest message, which has no answer: an earlier turn failed after it was stored. */
export async function answerOfflineAgain(api: Pick<ApiClient, "call">, id: string): Promise<OfflineAnswer> {
  const said = await api.call(routes.messages, { params: { id }, query: { last: 1 } });
  const text = said.messages[0] === undefined ? "" : saidText(said.messages[0]);
  return answerSaid(api, id, text, said);
}

async function answerSaid(
  api: Pick<ApiClient, "call">,
  id: string,
  text: string,
  said: ApiMessages,
): Promise<OfflineAnswer> {
  const params = { id };
  const answering = said.messages[0]?.index ?? said.total - 1;
  const answer = await quoteAnswer(text, {
    lead: said.lead,
    isFirst: answering === 0,
    recall: async (q) =>
      (await api.call(routes.recall, { params, query: { q, limit: MOST_HITS, answering } })).hits,
  });
  await api.call(routes.appendMessage, { params, body: { role: "assistant", text: answer } });
  return { text: answer, compacted: await api.call(routes.compact, { params, body: { whenDue: true } }) };
}

/** A text that goes along with a message: a file, or a long paste. */
export interface Attachment {
  readonly name: string;
  readonly text: string;
}

const CLOSES = "\n</attachment>";
const OPENS = /(?:^|\n\n)<attachment name="([^"\n]*)">\n/;
const BETWEEN = /\n<\/attachment>\n\n<attachment name="([^"\n]*)">\n/;

/** What a person says with what is attached to it: to a model both are one text. */
export function withAttachments(words: string, attachments: readonly Attachment[]): string {
  const attached = attachments.map(
    ({ name, text }) => `<attachment name="${name.replace(/["<>\n]/g, "'")}">\n${text}${CLOSES}`,
  );
  return [words, ...attached].filter((piece) => piece !== "").join("\n\n");
}

/** A message's words, and what is attached to them. */
export function splitAttachments(message: string): {
  readonly words: string;
  readonly attachments: readonly Attachment[];
} {
  const first = OPENS.exec(message);
  if (!first || !message.endsWith(CLOSES)) return { words: message, attachments: [] };
  const rest = message.slice(first.index + first[0].length, -CLOSES.length);
  // A name, a text, a name, a text.
  const pieces = [first[1]!, ...rest.split(BETWEEN)];
  return {
    words: message.slice(0, first.index),
    attachments: pieces.flatMap((name, n) => (n % 2 === 0 ? [{ name, text: pieces[n + 1] ?? "" }] : [])),
  };
}

const MOST_WORDS = 5;
const MOST_QUOTES = 4;
const SHORTEST_WORD = 3;
/** What a tool said is quoted less readily than what a person or the model said. */
const TOOL_WEIGHT = 0.6;

/** Words that stand in any question. */
const COMMON = new Set(
  "the and for was were are you your our his her its that this these those with what when where which who whom why how did does done has have had can could should would will from about into than then them they there their say said tell told know not but any all please give show say does just like let make".split(
    " ",
  ),
);

/** What people begin with, and how they ask whom they speak to: nothing of it is looked for. */
const GREETINGS = new Set(
  "hello hey hiya greetings good morning afternoon evening thanks thank help there test ping anyone hallo hola bonjour salut ciao moin servus guten tag".split(
    " ",
  ),
);

/** Longer runs of characters aren't words that anybody looks for (characters). */
const LONGEST_WORD = 200;

/** The words of a question that are worth looking for, longest first. */
export function keywords(question: string): readonly string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [];
  const telling = words
    .filter((word) => word.length <= LONGEST_WORD)
    .map((word) => word.replace(/^[./-]+|[./-]+$/g, ""))
    .filter((word) => word.length >= SHORTEST_WORD && !COMMON.has(word) && !GREETINGS.has(word));
  return [...new Set(telling)].sort((a, b) => b.length - a.length).slice(0, MOST_WORDS);
}

/** Messages that hold the most of the words, the newest first among equals. */
export function bestHits(found: readonly (readonly SearchHit[])[]): readonly SearchHit[] {
  const byIndex = new Map<number, { readonly hit: SearchHit; score: number }>();
  for (const hits of found) {
    for (const hit of hits) {
      const known = byIndex.get(hit.index);
      // A word that stands everywhere says little.
      const weight = 1 / Math.sqrt(hits.length);
      if (known) known.score += weight;
      else byIndex.set(hit.index, { hit, score: weight * (hit.role === "tool" ? TOOL_WEIGHT : 1) });
    }
  }
  return [...byIndex.values()]
    .sort((a, b) => b.score - a.score || b.hit.index - a.hit.index)
    .slice(0, MOST_QUOTES)
    .map(({ hit }) => hit)
    .sort((a, b) => a.index - b.index);
}

const LIMIT = "No model is configured, so I can only quote this conversation";

/** The words of a text, however they are spaced, punctuated and written. */
const wordsOf = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");

/** Says which texts can answer a question: none that only repeats it, and no answer of the offline assistant itself. */
export function canAnswer(question: string): (role: Role, text: string) => boolean {
  const asked = wordsOf(question);
  return (role, text) => !(role === "assistant" && text.includes(LIMIT)) && wordsOf(text) !== asked;
}

const SPEAKERS = { system: "System prompt", user: "You", assistant: "Assistant", tool: "Tool" } as const;

const nothingFound = (words: readonly string[]): string =>
  `${LIMIT}, and nothing in it holds ${words.map((word) => `“${word}”`).join(", ")}.`;

/** What it says to whoever greets it, or asks what it is. */
const introduction = (isEmpty: boolean): string =>
  `Hello! I'm the offline assistant of precis, not a language model. ${LIMIT}.

${
  isEmpty
    ? "So far there is nothing in it: open an example or a file of yours, or go on writing."
    : "Ask about a name, a file or any word that occurs in it, and I show who said what about it, also where a summary hides it from the model."
} For real answers, connect a model: in the page's settings, or with a key such as OPENAI_API_KEY when precis starts.`;

/** Answers by quoting what the conversation holds, and says so. `lead` is added to indexes, as summaries number messages. */
export async function quoteAnswer(
  question: string,
  options: {
    /** Finds what can answer the question. */
    readonly recall: (word: string) => Promise<readonly SearchHit[]>;
    readonly lead: number;
    /** Nothing was said before the question. */
    readonly isFirst?: boolean;
  },
): Promise<string> {
  const { recall, lead, isFirst = false } = options;
  const words = keywords(splitAttachments(question).words);
  if (words.length === 0) return introduction(isFirst);
  const found = await Promise.all(words.map(recall));
  const hits = bestHits(found);
  if (hits.length === 0) return nothingFound(words);
  const quotes = hits.map((hit) => {
    const excerpt = hit.excerpt.trim().replace(/\s+/g, " ");
    return `> …${excerpt}…\n\n${SPEAKERS[hit.role]}, #${hit.index + 1 + lead}${hit.visible ? "" : " (no longer in the view)"}`;
  });
  return [`${LIMIT}:`, ...quotes].join("\n\n");
}

/** What the upstream of the benchmark answers: the next request sends it back. */
export const ANSWER_TEXT = "An answer of some words. ".repeat(20);
export const STREAMED = Array.from({ length: 20 }, (_, n) => `word${n} `);
/** Messages are at most this long (characters). */
const MESSAGE_CHARS = 4_096;
/** A conversation begins anew after so many turns, so that bodies keep their size. */
const TURNS = 20;

/** Different texts of a size. They are made once, so that whoever sends them takes little of the machine. */
const TEXTS = 256;
const texts = new Map<string, string>();

/** Words that make a text of about a size. */
function words(chars: number, seed: number): string {
  const kind = seed % TEXTS;
  const key = `${chars}/${kind}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  let text = "";
  for (let n = 0; text.length < chars; n++) text += `word${(n * 7919 + kind * 31) % 9973} `;
  // In one piece, not as the many that it was put together from.
  text = Buffer.from(text).toString();
  texts.set(key, text);
  return text;
}

/**
 * Conversations as clients have them: each request is the one before with its answer and one more message. `next` gives
 * the bodies one after the other; a new conversation begins when the last one has had its turns.
 */
export function createConversations(options: {
  readonly bytes: number;
  readonly stream: boolean;
  /** Small requests are first messages of new conversations: the most work for a store. */
  readonly turns?: number;
  readonly seed: number;
}): () => Buffer {
  const { bytes, stream, turns = TURNS } = options;
  const answer = JSON.stringify({ role: "assistant", content: stream ? STREAMED.join("") : ANSWER_TEXT });
  let conversation = 0;
  let turn = turns;
  let text = "";
  return () => {
    if (turn >= turns) {
      text = begin(bytes, stream, options.seed * 1_000_003 + ++conversation);
      turn = 0;
    } else
      text += `,${answer},${JSON.stringify({ role: "user", content: `Turn ${turn}: ${words(300, turn)}` })}`;
    turn++;
    return Buffer.from(`${text}]}`);
  };
}

function begin(bytes: number, stream: boolean, seed: number): string {
  const messages: object[] = [
    { role: "system", content: "You are helpful." },
    { role: "user", content: `Conversation ${seed}: ${words(Math.min(MESSAGE_CHARS, bytes * 0.8), seed)}` },
  ];
  for (let size = MESSAGE_CHARS; size < bytes - MESSAGE_CHARS; size += 2 * MESSAGE_CHARS) {
    messages.push({ role: "assistant", content: words(MESSAGE_CHARS, size) });
    messages.push({ role: "user", content: words(MESSAGE_CHARS, size + 1) });
  }
  return JSON.stringify({ stream, model: "gpt-4o", messages }).slice(0, -"]}".length);
}

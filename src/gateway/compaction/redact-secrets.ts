import type { Pause } from "../../core/pause.ts";
import type { Dialect, Message, Model, Part } from "../../core/types.ts";

/** Where a key may begin: with a word, or behind an escaped line break or tab of JSON text, which ends in a letter. */
const START = String.raw`(?:\b|(?<=\\[nrtbf]))`;
/** The same, but not within a run of its own characters: a text of nothing but beginnings would be read from each. */
const RUN_START = String.raw`(?:(?<![\w-])|(?<=\\[nrtbf]))`;

/** What looks like a key in a text. */
const KEYS = new RegExp(
  [
    String.raw`${START}(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|ghp|gho|github_pat|glpat|xox[abpr])[-_][\w.-]{16,}`,
    String.raw`${START}AKIA[0-9A-Z]{16}\b`,
    String.raw`${START}AIza[\w-]{30,}`,
    String.raw`${RUN_START}eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}`,
  ].join("|"),
  "g",
);

/** A password in an address, or behind its name. The name of a type behind it is none. */
const PASSWORDS =
  /(:\/\/[^\s/:@"\\]{1,100}:)[^\s/@"\\]{1,200}(?=@)|(\b(?:password|passwd|passphrase)\b\\{0,16}["']?\s{0,9}[:=]\s{0,9}\\{0,16}["']?)(?!(?:string|str|text|boolean|bool|null|undefined|true|false|none|required)\b)[^\s"'\\,;&]{4,200}/gi;

/** What stands in place of a secret. */
export const REDACTED = "[secret]";

/** JSON text with secrets replaced; it stays JSON, because none of the signs of a secret has a meaning in JSON. */
export function redactSecrets(wire: string): string {
  return wire.length <= PIECE_CHARS ? redact(wire) : joined(wire, [...piecesOf(wire)].map(redact));
}

/** The same of a long text, with turns for others. */
export async function redactWithPauses(wire: string, pause: Pause): Promise<string> {
  if (wire.length <= PIECE_CHARS) return redact(wire);
  const clean: string[] = [];
  for (const piece of piecesOf(wire)) {
    clean.push(redact(piece));
    await pause();
  }
  return joined(wire, clean);
}

/**
 * Characters that are looked through at once: some milliseconds of work. More than a few million of one secret's characters would
 * run an expression out of stack, in a thread, too.
 */
const PIECE_CHARS = 262_144;

/** A text in pieces that cut no secret in two. */
function* piecesOf(wire: string): Generator<string, undefined, undefined> {
  for (let from = 0; from < wire.length; ) {
    const to = endBetweenSecrets(wire, from + PIECE_CHARS);
    yield wire.slice(from, to);
    from = to;
  }
}

/** A text without secrets is the very same text. */
function joined(wire: string, pieces: readonly string[]): string {
  const clean = pieces.join("");
  return clean === wire ? wire : clean;
}

function redact(text: string): string {
  return withoutPrivateKeys(text)
    .replace(KEYS, REDACTED)
    .replace(PASSWORDS, (_, address?: string, name?: string) => `${address ?? name ?? ""}${REDACTED}`);
}

/** No secret but a run of the characters of keys is longer (characters). */
const LONGEST_SECRET = 9_000;
const IN_KEY = /[\w.-]/;
const LONGEST_RUN = 1_000_000;

/** Where a secret may end. */
const GAP = /[\s"',;@]|$/g;
/** So many of these are tried: in a list of nothing but secrets, every second one is between two. */
const MOST_GAPS = 64;

/** The place, or a little behind it where it would cut a secret in two. */
function endBetweenSecrets(text: string, at: number): number {
  let end = at;
  // A key is found by what stands before it, too.
  while (end < text.length && end - at < LONGEST_RUN && IN_KEY.test(text.charAt(end))) end++;
  if (end >= text.length) return text.length;
  const start = end - LONGEST_SECRET;
  const around = text.slice(start, end + LONGEST_SECRET);
  const whole = redact(around);
  if (whole === around) return end;
  const isBetween = (cut: number) => redact(around.slice(0, cut)) + redact(around.slice(cut)) === whole;
  if (isBetween(end - start)) return end;
  let tried = 0;
  for (const { index } of around.slice(LONGEST_SECRET).matchAll(GAP)) {
    if (isBetween(LONGEST_SECRET + index)) return end + index;
    if (++tried === MOST_GAPS) break;
  }
  return end;
}

const BEGIN = "-----BEGIN ";
const END = "-----END ";
/** The rest of the line that begins or ends a private key. */
const NAME = /^[A-Z ]{0,40}PRIVATE KEY-----/;
const MAX_NAME = 60;
/** Longest private key, with its line breaks escaped (characters). */
const MAX_KEY = 8_192;

/** Private keys are searched for with plain comparisons: a pattern would look through the same text for each beginning. */
function withoutPrivateKeys(text: string): string {
  let at = text.indexOf(BEGIN);
  if (at < 0) return text;
  const pieces: string[] = [];
  let from = 0;
  while (at >= 0) {
    const end = endOfKey(text, at);
    if (end !== undefined) {
      pieces.push(text.slice(from, at), REDACTED);
      from = end;
    }
    at = text.indexOf(BEGIN, end ?? at + BEGIN.length);
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

/** Behind the private key that begins at a place; undefined if none does. */
function endOfKey(text: string, at: number): number | undefined {
  const opening = NAME.exec(text.slice(at + BEGIN.length, at + BEGIN.length + MAX_NAME))?.[0];
  if (opening === undefined) return undefined;
  const start = at + BEGIN.length + opening.length;
  const body = text.slice(start, start + MAX_KEY + END.length);
  const end = body.indexOf(END);
  const quote = body.indexOf('"');
  if (end < 1 || (quote >= 0 && quote < end)) return undefined;
  const close = start + end + END.length;
  const closing = NAME.exec(text.slice(close, close + MAX_NAME))?.[0];
  return closing === undefined ? undefined : close + closing.length;
}

interface Redacting {
  readonly dialect: Dialect<unknown>;
  /** Messages without their secrets, by what they were with them. */
  readonly reads: WeakMap<Message, Message>;
}

const redactings = new WeakMap<Dialect<unknown>, Redacting>();

/**
 * The dialect; with `redact`, reading messages without their secrets: nothing that is derived from them (titles, checkpoints, summaries,
 * hashes) can hold one. What is sent to the upstream are the client's own messages.
 */
export function readingOf(
  { redact }: { readonly redact: boolean },
  dialect: Dialect<unknown>,
): Dialect<unknown> {
  return redact ? redactingOf(dialect).dialect : dialect;
}

/** Reads a message as `readingOf` does, with turns for others; it has it at once from then on. */
export async function readWithPauses(
  { redact }: { readonly redact: boolean },
  dialect: Dialect<unknown>,
  wire: unknown,
  pause: Pause,
): Promise<Message> {
  const message = dialect.read(wire);
  if (!redact) return message;
  const { reads } = redactingOf(dialect);
  const known = reads.get(message);
  if (known) return known;
  const texts: string[] = [];
  redactMessage(message, (text) => {
    texts.push(text);
    return text;
  });
  const clean = new Map<string, string>();
  for (const text of texts) clean.set(text, await redactWithPauses(text, pause));
  const read = redactMessage(message, (text) => clean.get(text) ?? redactSecrets(text));
  reads.set(message, read);
  return read;
}

function redactingOf(dialect: Dialect<unknown>): Redacting {
  const before = redactings.get(dialect);
  if (before) return before;
  const reads = new WeakMap<Message, Message>();
  const redacting: Redacting = {
    reads,
    dialect: {
      ...dialect,
      read(wire) {
        const message = dialect.read(wire);
        const read = reads.get(message) ?? redactMessage(message, redactSecrets);
        reads.set(message, read);
        return read;
      },
    },
  };
  redactings.set(dialect, redacting);
  return redacting;
}

/** A model whose summaries hold no secrets either: by continuation it sees the client's own request. */
export function redactingModel(model: Model): Model {
  return {
    ...model,
    async complete(request) {
      const reply = await model.complete(request);
      return { ...reply, text: redactSecrets(reply.text) };
    },
  };
}

function redactMessage(message: Message, clean: (text: string) => string): Message {
  return { ...message, parts: message.parts.map((part) => redactPart(part, clean)) };
}

function redactPart(part: Part, clean: (text: string) => string): Part {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "tool-result":
      return { ...part, text: clean(part.text) };
    case "tool-call":
      return { ...part, args: clean(part.args) };
    case "file":
      return part.text === undefined ? part : { ...part, text: clean(part.text) };
    case "other":
      return { ...part, json: clean(part.json) };
    default:
      return part;
  }
}

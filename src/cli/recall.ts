import { existsSync } from "node:fs";
import { defined } from "../core/defined.ts";
import { ConfigError, problemOf } from "../core/errors.ts";
import type { Past } from "../gateway/conversation/past.ts";
import { openRecall, type ReadMessage, type Recall } from "../recall/open-recall.ts";
import { readQuery } from "../recall/query.ts";
import { READ_FORMS, typedWhat } from "../recall/read-range.ts";
import type { SearchOptions } from "../recall/search.ts";
import { termsOf } from "../recall/terms.ts";
import type { Conversation } from "../stores/server-store.ts";
import { ENGINE_FLAGS, engineChoice } from "./engine-flags.ts";
import type { Io } from "./io.ts";
import { loadLog } from "./load-log.ts";
import { DATABASE_FLAGS, DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parseCount, parseTokens } from "./parse-tokens.ts";
import { createProgress } from "./progress.ts";
import { FileError } from "./read-lines.ts";
import { findByName, shortName } from "./short-names.ts";

const { dialect, pick } = ENGINE_FLAGS;

/** People see no hit whose score is below this share of the best one's, unless they say how many they want. */
const NOTABLE = 0.6;
/** Lines of a hit that people see. */
const MOST_LINES = 6;

export const recallLine: CommandLine = {
  name: "recall",
  summary: "Finds what was said: in a file, in one stored conversation, or in all of them.",
  usage: "precis recall QUERY [SESSION|FILE] [flags]",
  flags: {
    read: { help: "QUERY is a pointer (#12–18) or the id of a message or call: print what stands there" },
    limit: { value: "N", help: "hits at most (default: the best of 10)" },
    tokens: {
      value: "N",
      help: "tokens that all texts may have together (default: 2000, 4000 with --read)",
    },
    regex: { help: "QUERY is a regular expression, matched line by line" },
    ...DATABASE_FLAGS,
    dialect,
    pick,
    json: { help: "print { hits } or, with --read, { messages } as JSON" },
  },
  notes: [
    'QUERY is words, "phrases" in quotation marks, names and paths. No model is asked, and nothing is sent anywhere.',
    "A second word that is a file here (or - for stdin) is searched as a conversation. Any other is a SESSION in the database: the id of a session or of a conversation (precis inspect lists them). Without one, all conversations of the tenant are searched.",
    "Each hit begins with its pointer: #13 fetch» is message 13, said by the tool fetch; without a name it is the assistant. Of long passages the lines that match are shown; --read shows the message, and --json everything that was found.",
  ],
  examples: [
    "precis recall 'name of the staging database'",
    "precis recall 'ECONNRESET \"retry budget\"' session.jsonl --limit 3",
    "precis recall '#12–18' 3f1c… --read",
  ],
};

interface Found {
  readonly index: number;
  readonly score: number;
  readonly text: string;
  readonly changedIn?: number;
  readonly of?: Conversation;
}

/** What was searched, whatever it stands in. */
interface Place {
  search(
    query: string,
    options: SearchOptions,
  ): Promise<{ readonly hits: readonly Found[]; readonly partial?: true }>;
  read: Recall["read"];
}

export async function recallCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const [given, where, ...more] = flags.files;
  const query = given?.trim();
  if (!query) throw new UsageError('What are you looking for? Say it: precis recall "words".');
  if (more.length > 0)
    throw new UsageError("precis recall takes one QUERY (in quotation marks) and one SESSION or FILE.");
  const isRead = flags.has("read");
  if (isRead && where === undefined) throw new UsageError("--read needs a SESSION or a FILE.");
  if (isRead && flags.has("regex"))
    throw new UsageError("--read takes a pointer or an id, so --regex has no meaning.");
  const allowance = defined({ tokens: flags.parsed("tokens", parseTokens) });
  const options: SearchOptions = {
    ...allowance,
    ...defined({ limit: flags.parsed("limit", parseCount) }),
    ...(flags.has("regex") && { regex: true }),
    signal: io.signal,
  };
  const answer = async (place: Place): Promise<void> => {
    if (isRead) writeMessages((await place.read(typedWhat(query), allowance)).messages, flags, io);
    else writeHits(await place.search(query, options).catch(asUsage), query, flags, io);
  };
  if (where !== undefined && (where === "-" || existsSync(where)))
    await answer(await inFile(where, flags, io));
  else
    await withDatabase(flags, io, { create: false, ...missingFile(where) }, async (store) => {
      const { pastOf } = await import("../gateway/conversation/past.ts");
      const tenant = flags.value("tenant") ?? DEFAULT_TENANT;
      // The short names that are shown here can be asked for.
      const named = where === undefined ? undefined : await findByName(store.conversations, tenant, where);
      await answer(await inStore(pastOf(store, tenant), named?.id ?? where));
    });
}

/** Whoever mistypes a file's name never meant a database. */
const missingFile = (where: string | undefined): { missing?: (db: string) => string } =>
  where === undefined
    ? {}
    : { missing: (db) => `there is no file ${where}, and no database ${db} that could hold such a session.` };

/** A pattern stands on the command line: one that can't be read is a mistake in it. */
function asUsage(error: unknown): never {
  if (ConfigError.isInstance(error) && error.option === "regex")
    throw new UsageError(`--regex: ${error.message.replace(/^precis: option `regex`: /, "")}`);
  throw error;
}

async function inFile(file: string, flags: ParsedFlags, io: Io): Promise<Place> {
  const progress = createProgress(io, { json: flags.has("json") });
  const { log, dialect } = await loadLog(file, io, { ...engineChoice(flags), progress });
  for (const warning of log.warnings) io.stderr.write(`precis: ${warning}\n`);
  return openRecall({ dialect, transcript: log.messages });
}

async function inStore(past: Past, session: string | undefined): Promise<Place> {
  if (session === undefined) return { search: past.search, read: () => Promise.resolve({ messages: [] }) };
  const of = await past.find(session).catch((error: unknown): never => {
    if (!ConfigError.isInstance(error) || error.option !== "session") throw error;
    const problem = problemOf(error).replace(/^option `session`: /, "");
    throw new FileError(
      `${problem} There is no file of that name either. precis inspect lists the sessions.`,
    );
  });
  return { search: (query, options) => past.search(query, { ...options, of }), read: past.open(of).read };
}

function writeHits(
  { hits: all, partial }: Awaited<ReturnType<Place["search"]>>,
  query: string,
  flags: ParsedFlags,
  io: Io,
): void {
  if (partial) io.stderr.write("precis: the pattern took too long, so that not everything was looked at.\n");
  if (flags.has("json")) {
    const found = all.map(({ of, ...hit }) => ({
      ...hit,
      ...(of && { session: of.session ?? of.id, title: of.title }),
    }));
    io.stdout.write(`${JSON.stringify({ hits: found, ...(partial && { partial }) })}\n`);
    return;
  }
  const best = Math.max(...all.map(({ score }) => score));
  const hits = flags.has("limit") ? all : all.filter(({ score }) => score >= best * NOTABLE);
  const terms = new Set(flags.has("regex") ? [] : readQuery(query).terms);
  if (hits.length === 0) io.stderr.write("precis: nothing found.\n");
  let above: string | undefined;
  for (const { of, text } of hits) {
    // Several hits of one conversation stand below its name.
    if (of && of.id !== above)
      io.stdout.write(printable(`${shortName(of)}${of.title && `  ${oneLine(of.title)}`}\n`));
    above = of?.id;
    const shown = excerpt(text, terms);
    io.stdout.write(printable(`${of ? indented(shown) : shown}\n`));
  }
}

/** The beginning of a passage and its lines that speak of what was asked for; `--read` shows all of it. */
function excerpt(text: string, terms: ReadonlySet<string>): string {
  const lines = text.split("\n");
  if (lines.length <= MOST_LINES) return text;
  const speaks = lines.map((line) => termsOf(line).some((term) => terms.has(term)));
  const wanted = new Set([0, ...lines.keys().filter((at) => speaks[at])].slice(0, MOST_LINES));
  for (let at = 1; wanted.size < MOST_LINES; at++) wanted.add(at);
  let before = -1;
  const shown = [...wanted]
    .toSorted((a, b) => a - b)
    .flatMap((at) => {
      const gap = at > before + 1 ? ["  …"] : [];
      before = at;
      return [...gap, lines[at]!];
    });
  return [...shown, ...(before < lines.length - 1 ? ["  …"] : [])].join("\n");
}

function writeMessages(messages: readonly ReadMessage[], flags: ParsedFlags, io: Io): void {
  if (flags.has("json")) io.stdout.write(`${JSON.stringify({ messages })}\n`);
  else if (messages.length === 0) io.stderr.write(`precis: there is no such message. ${READ_FORMS}\n`);
  else for (const { text } of messages) io.stdout.write(printable(`${text}\n`));
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const indented = (text: string): string => text.replace(/^/gm, "  ");

/** What a tool once printed may hold sequences that would move the cursor or the clipboard of this terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}

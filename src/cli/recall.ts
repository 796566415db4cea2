import { existsSync } from "node:fs";
import { defined } from "../core/collections.ts";
import { ConfigError, problemOf } from "../core/errors.ts";
import type { Past } from "../gateway/conversation/past.ts";
import { openRecall, READ_FORMS, type ReadMessage, type Recall, typedWhat } from "../recall/open-recall.ts";
import { readQuery } from "../recall/rank.ts";
import type { SearchOptions } from "../recall/search.ts";
import { termsOf } from "../recall/terms.ts";
import type { Conversation } from "../stores/server-store.ts";
import { COMMANDS } from "./commands.ts";
import { UsageError } from "./flags.ts";
import { oneLine, plainText } from "./format.ts";
import { DEFAULT_TENANT, findByName, shortName, withDatabase } from "./open-database.ts";
import { openLog } from "./open-log.ts";
import { FileError } from "./read-lines.ts";
import type { RunOf } from "./run.ts";

/** People see no hit whose score is below this share of the best one's, unless they say how many they want. */
const NOTABLE = 0.6;
/** Lines of a hit that people see. */
const MOST_LINES = 6;

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

export async function recall(run: RunOf<"recall">): Promise<void> {
  const [given = "", where] = run.args;
  const { read, limit, tokens, regex, tenant = DEFAULT_TENANT } = run.options;
  const query = given.trim();
  if (query === "") throw new UsageError(COMMANDS.recall.lacks);
  if (read && where === undefined) throw new UsageError("--read needs a SESSION or a FILE.");
  if (read && regex)
    throw new UsageError("--read takes a pointer or an id, so it can't be used with --regex.");
  const options: SearchOptions = { ...defined({ tokens, limit, regex }), signal: run.io.signal };
  const answer = async (place: Place): Promise<void> => {
    if (read) writeMessages((await place.read(typedWhat(query), defined({ tokens }))).messages, run);
    else writeHits(await place.search(query, options).catch(asUsage), query, run);
  };
  if (where !== undefined && (where === "-" || existsSync(where))) {
    const { log, dialect } = await openLog(where, run);
    return answer(openRecall({ dialect, transcript: log.messages }));
  }
  await withDatabase(run, { create: false, ...missingFile(where) }, async (store) => {
    const { pastOf } = await import("../gateway/conversation/past.ts");
    // The short names that are shown here can be asked for.
    const named = where === undefined ? undefined : await findByName(store.conversations, tenant, where);
    await answer(await inStore(pastOf(store, tenant), named?.id ?? where));
  });
}

/** Whoever mistypes a file's name never meant a database. */
const missingFile = (where: string | undefined): { missing?: (db: string) => string } =>
  where === undefined
    ? {}
    : { missing: (db) => `there is no file ${where}, and no database ${db} with such a session.` };

/** A pattern stands on the command line: one that can't be read is a mistake in it. */
function asUsage(error: unknown): never {
  if (ConfigError.isInstance(error) && error.option === "regex")
    throw new UsageError(`--regex: ${error.message.replace(/^precis: option `regex`: /, "")}`);
  throw error;
}

async function inStore(past: Past, session: string | undefined): Promise<Place> {
  if (session === undefined) return { search: past.search, read: () => Promise.resolve({ messages: [] }) };
  const of = await past.find(session).catch((error: unknown): never => {
    if (!ConfigError.isInstance(error) || error.option !== "session") throw error;
    const problem = problemOf(error).replace(/^option `session`: /, "");
    throw new FileError(`${problem} No file has that name, either. precis inspect lists the sessions.`);
  });
  return { search: (query, options) => past.search(query, { ...options, of }), read: past.open(of).read };
}

function writeHits(
  { hits: all, partial }: Awaited<ReturnType<Place["search"]>>,
  query: string,
  { options, note, print }: RunOf<"recall">,
): void {
  if (partial) note("the pattern took too long, so not everything was searched.");
  const found = all.map(({ of, ...hit }) => ({
    ...hit,
    ...(of && { session: of.session ?? of.id, title: of.title }),
  }));
  const best = Math.max(...all.map(({ score }) => score));
  const hits = options.limit ? all : all.filter(({ score }) => score >= best * NOTABLE);
  if (hits.length === 0 && !options.json) note("nothing found.");
  const terms = new Set(options.regex ? [] : readQuery(query).terms);
  const speaks = (text: string): boolean => termsOf(text).some((term) => terms.has(term));
  // An answer may share no word with what was asked for: it is found by the messages around it, and marked.
  const marks = hits.some(({ text }) => speaks(text));
  print({ hits: found, ...(partial && { partial }) }, () =>
    hits
      .map(({ of, text }, at) => {
        const mark = marks && !speaks(text) ? "(beside a match) " : "";
        const shown = `${mark}${plainText(excerpt(text, terms))}`;
        if (!of) return `${shown}\n`;
        // Several hits of one conversation stand below its name.
        const isNew = hits[at - 1]?.of?.id !== of.id;
        const name = isNew ? `${shortName(of)}${of.title && `  ${oneLine(of.title)}`}\n` : "";
        return `${plainText(name)}${shown.replace(/^(?=.)/gm, "  ")}\n`;
      })
      .join(""),
  );
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

function writeMessages(messages: readonly ReadMessage[], { print }: RunOf<"recall">): void {
  if (messages.length === 0) throw new FileError(`message not found. ${READ_FORMS}`);
  print({ messages }, () => messages.map(({ text }) => `${plainText(text)}\n`).join(""));
}

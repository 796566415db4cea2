import type { Message } from "../../core/types.ts";
import { commonFolder } from "../common-folder.ts";
import { touchedFiles } from "../ledger.ts";

/** The files of a conversation, the one touched last first. */
export interface DigestFiles {
  /** The folder that all paths stand in, empty where there is none. */
  readonly root: string;
  readonly changed: readonly string[];
  /** Those that were only looked at. */
  readonly read: readonly string[];
}

/** Names of tools that change files. */
const CHANGES = /edit|write|patch|create|replace|insert|append|delete|remove|rename|move/i;
const PATCHED = /^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm;

export function digestFiles(messages: readonly Message[]): DigestFiles {
  const changes = withCalls(messages, (name) => CHANGES.test(name));
  const changed = [...new Set([...patchedFiles(messages), ...pathsIn(changes)])];
  const isChanged = new Set(changed);
  const read = pathsIn(withCalls(messages, (name) => !CHANGES.test(name))).filter(
    (path) => !isChanged.has(path),
  );
  const root = commonFolder([...changed, ...read]);
  const below = (path: string): string => (path.startsWith(root) ? path.slice(root.length) : path);
  return { root, changed: changed.map(below), read: read.map(below) };
}

/** The messages with those calls only whose tool is meant. */
function withCalls(messages: readonly Message[], isMeant: (name: string) => boolean): Message[] {
  return messages.map((message) => ({
    ...message,
    parts: message.parts.filter((part) => part.type === "tool-call" && isMeant(part.name)),
  }));
}

/** Addresses and patterns of a search aren't files. */
const pathsIn = (messages: readonly Message[]): string[] =>
  touchedFiles(messages).flatMap(({ path }) =>
    /^[a-z]+:\/\/|[*?{}\s]/i.test(path) || !/\.\w+$/.test(path) ? [] : [path],
  );

/** A patch names its files inside of its text. */
function patchedFiles(messages: readonly Message[]): string[] {
  const files = messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === "tool-call" && part.args.includes("*** ")
        ? [...part.args.replaceAll("\\n", "\n").matchAll(PATCHED)].map((match) => (match[1] ?? "").trim())
        : [],
    ),
  );
  return files.reverse();
}

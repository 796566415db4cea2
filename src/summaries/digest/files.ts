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

export function digestFiles(messages: readonly Message[]): DigestFiles {
  const there = touchedFiles(messages).filter(({ path, isDeleted }) => !isDeleted && isFile(path));
  const changed = there.flatMap(({ path, isChanged }) => (isChanged ? [path] : []));
  const read = there.flatMap(({ path, isChanged }) => (isChanged ? [] : [path]));
  const root = commonFolder([...changed, ...read]);
  const below = (path: string): string => (path.startsWith(root) ? path.slice(root.length) : path);
  return { root, changed: changed.map(below), read: read.map(below) };
}

/** Addresses and patterns of a search aren't files. */
const isFile = (path: string): boolean => !/^[a-z]+:\/\/|[*?{}\s]/i.test(path) && /\.\w+$/.test(path);

import { firstCharacters, lastCharacters } from "./first-characters.ts";

/** What the system prompts of a conversation showed so far. */
export interface WatchedPrompt {
  readonly text: string;
  readonly requests: number;
  /** Requests whose prompt was another one than that of the request before. */
  readonly changes: number;
  /** The prompt before the newest change; undefined where the newest request brought none. */
  readonly was?: string | undefined;
}

/** What a changing system prompt looks like. */
export interface SystemChanges extends Pick<WatchedPrompt, "requests" | "changes"> {
  /** The first place where the newest prompt differs from the one before, with a few words around it. */
  readonly is: string;
  readonly was: string;
}

/** Adds the prompt of one more request. */
export function watchPrompt(before: WatchedPrompt | undefined, text: string): WatchedPrompt {
  const { requests = 0, changes = 0 } = before ?? {};
  const isChanged = before !== undefined && before.text !== text;
  return {
    text,
    requests: requests + 1,
    changes: changes + (isChanged ? 1 : 0),
    was: isChanged ? before.text : undefined,
  };
}

/** A person may change it once. From the second time on, where at least half of the requests do so, it is the program. */
const LEAST_CHANGES = 2;
const LEAST_SHARE = 0.5;
/** Characters that are shown before and behind the place. */
const BEFORE = 30;
const BEHIND = 50;

/** What is to be told of it with the newest request; undefined where the prompt stands, or changed by chance. */
export function systemChanges({ text, was, requests, changes }: WatchedPrompt): SystemChanges | undefined {
  if (was === undefined || changes < LEAST_CHANGES || changes < (requests - 1) * LEAST_SHARE)
    return undefined;
  let at = 0;
  while (at < text.length && text[at] === was[at]) at++;
  const around = (whole: string): string => {
    const before = lastCharacters(whole.slice(0, at), BEFORE);
    const behind = firstCharacters(whole.slice(at), BEHIND);
    const lead = before.length < at ? "…" : "";
    const end = at + behind.length < whole.length ? "…" : "";
    return `${lead}${before}${behind}${end}`.replace(/\s+/g, " ").toWellFormed();
  };
  return { requests, changes, was: around(was), is: around(text) };
}

/** It as people read it. */
export const systemChangeWords = ({
  requests,
  changes,
  is,
  was,
}: Omit<SystemChanges, "was"> & { readonly was?: string }): string =>
  `The system prompt changed in ${changes} of ${requests} requests, so the provider's cache can't be used from there on. It first differs at “${is}”${was === undefined ? "" : `, which was “${was}”`}. Moving the changing part behind the stable one saves the most.`;

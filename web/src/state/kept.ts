import { createStore } from "./store.ts";

/** Where a browser keeps texts for the page, by name: for this tab, or for all of them. */
type Keeper = Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;

/** Is there no room for what was to be kept last? The page says so. */
export const browserStorage = createStore({ isFull: false });

/** Something that the browser keeps for each chat or summary, by its id: closing, a reload or another view takes nothing away. */
export function kept<T>(kind: string, keeper: () => Keeper = () => globalThis.localStorage) {
  const name = (id: string) => `precis.${kind}.${id}`;
  return {
    name,
    /** Undefined takes it away. False if the browser is full: then it lasts for as long as the page is open. */
    keep(id: string, value: T | undefined): boolean {
      try {
        if (value === undefined) keeper()?.removeItem(name(id));
        else keeper()?.setItem(name(id), JSON.stringify(value));
        browserStorage.set({ isFull: false });
        return true;
      } catch (error) {
        // One that keeps nothing at all, because a person wants it so, is no news.
        browserStorage.set({ isFull: (error as Error).name === "QuotaExceededError" });
        return false;
      }
    },
    /** Undefined if there is nothing, or what no program reads. */
    read(id: string): T | undefined {
      try {
        return JSON.parse(keeper()?.getItem(name(id)) ?? "null") ?? undefined;
      } catch {
        return undefined;
      }
    },
  };
}

export const forThisTab = (): Keeper => globalThis.sessionStorage;

/** The words of an answer whose end this page never saw: the connection to the server broke, or the server ended. */
export interface CutAnswer {
  readonly text: string;
  /** Messages of the conversation when it broke off: its place. */
  readonly length: number;
}

export const cutAnswers = kept<CutAnswer>("cut", forThisTab);
/** When the newest compaction of a chat was made that this tab has shown; 0 where there was none. */
export const seenCompactions = kept<number>("compacted", forThisTab);
/** Up to which event of its timeline a person has closed the failures of a chat. */
export const seenEvents = kept<string>("seen");
/** What a person is writing into a summary. */
export const summaryDrafts = kept<string>("summary");
/** A text about a chat that a person has changed: the words, and the goal that they were written for. */
export interface TextDraft {
  readonly goal: string;
  readonly text: string;
}
export const textDrafts = kept<TextDraft>("text");

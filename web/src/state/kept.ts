/** Where a browser keeps texts for the page, by name: for this tab, or for all of them. */
export type Keeper = Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;

/** Keeps a text; undefined takes it away. False if the browser is full: then it lasts for as long as the page is open. */
export function keepText(keeper: Keeper, name: string, text: string | undefined): boolean {
  try {
    if (text === undefined) keeper?.removeItem(name);
    else keeper?.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/** What was kept as JSON; undefined if there is nothing, or something else. */
export function keptJson(keeper: Keeper, name: string): unknown {
  try {
    return JSON.parse(keeper?.getItem(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** The words of an answer whose end this page never saw: the connection to the server broke, or the server ended. */
export interface CutAnswer {
  readonly text: string;
  /** Messages of the conversation when it broke off. As soon as there are more, the whole answer or another is there. */
  readonly length: number;
}

const cutOf = (chat: string) => `precis.cut.${chat}`;

/** Kept for this tab, so that a reload doesn't take away what a person has read. */
export const keepCut = (chat: string, cut: CutAnswer | undefined): boolean =>
  keepText(globalThis.sessionStorage, cutOf(chat), cut && JSON.stringify(cut));

export const readCut = (chat: string): CutAnswer | undefined =>
  keptJson(globalThis.sessionStorage, cutOf(chat)) as CutAnswer | undefined;

const seenOf = (chat: string) => `precis.seen.${chat}`;

/** Keeps up to which event of its timeline a person has closed the failures of a chat. */
export const keepSeen = (chat: string, event: string): boolean =>
  keepText(globalThis.localStorage, seenOf(chat), JSON.stringify(event));

export const readSeen = (chat: string): string => {
  const seen = keptJson(globalThis.localStorage, seenOf(chat));
  return typeof seen === "string" ? seen : "";
};

const summaryOf = (summary: string) => `precis.summary.${summary}`;

/** Keeps what a person is writing into a summary: a divider that closes or leaves the screen takes nothing away. */
export const keepSummaryDraft = (summary: string, text: string | undefined): boolean =>
  keepText(globalThis.localStorage, summaryOf(summary), text);

/** Undefined if nobody is editing it. */
export const readSummaryDraft = (summary: string): string | undefined =>
  globalThis.localStorage?.getItem(summaryOf(summary)) ?? undefined;

/** A text about a chat that a person has changed: the words, and the goal that they were written for. */
export interface TextDraft {
  readonly goal: string;
  readonly text: string;
}

const textOf = (chat: string) => `precis.text.${chat}`;

/** Kept like everything that is typed: closing the dialog takes nothing away. */
export const keepTextDraft = (
  chat: string,
  draft: TextDraft | undefined,
  keeper: Keeper = globalThis.localStorage,
): boolean =>
  keepText(keeper, textOf(chat), draft && draft.text.trim() !== "" ? JSON.stringify(draft) : undefined);

export function readTextDraft(chat: string, keeper: Keeper = globalThis.localStorage): TextDraft | undefined {
  const { goal, text } = (keptJson(keeper, textOf(chat)) ?? {}) as Partial<TextDraft>;
  return typeof goal === "string" && typeof text === "string" ? { goal, text } : undefined;
}

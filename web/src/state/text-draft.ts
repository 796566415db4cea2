/** A text about a chat that a person has changed: the words, and the goal that they were written for. */
export interface TextDraft {
  readonly goal: string;
  readonly text: string;
}

type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (chat: string) => `precis.text.${chat}`;

/** Kept in the browser like everything that is typed: closing the dialog takes nothing away. */
export function keepTextDraft(
  chat: string,
  draft: TextDraft | undefined,
  storage: Storage | undefined = globalThis.localStorage,
): void {
  try {
    if (draft === undefined || draft.text.trim() === "") storage?.removeItem(keyOf(chat));
    else storage?.setItem(keyOf(chat), JSON.stringify(draft));
  } catch {
    // A browser that is full keeps it for as long as the dialog is open.
  }
}

export function readTextDraft(
  chat: string,
  storage: Storage | undefined = globalThis.localStorage,
): TextDraft | undefined {
  try {
    const { goal, text } = JSON.parse(storage?.getItem(keyOf(chat)) ?? "{}") as Partial<TextDraft>;
    return typeof goal === "string" && typeof text === "string" ? { goal, text } : undefined;
  } catch {
    return undefined;
  }
}

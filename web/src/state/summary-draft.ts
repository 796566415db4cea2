type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (summary: string) => `precis.summary.${summary}`;

/** Keeps in the browser what a person is writing into a summary: a divider that closes or leaves the screen takes nothing away. */
export function keepSummaryDraft(
  summary: string,
  text: string | undefined,
  storage: Storage | undefined = globalThis.localStorage,
): void {
  try {
    if (text === undefined) storage?.removeItem(keyOf(summary));
    else storage?.setItem(keyOf(summary), text);
  } catch {
    // A browser that is full keeps it for as long as the divider is open.
  }
}

/** Undefined if nobody is editing it. */
export const readSummaryDraft = (
  summary: string,
  storage: Storage | undefined = globalThis.localStorage,
): string | undefined => storage?.getItem(keyOf(summary)) ?? undefined;

/** The words of an answer whose end this page never saw: the connection to the server broke, or the server ended. */
export interface CutAnswer {
  readonly text: string;
  /** Messages of the conversation when it broke off. As soon as there are more, the whole answer or another is there. */
  readonly length: number;
}

const keyOf = (chat: string) => `precis.cut.${chat}`;

/** Kept in the browser, so that a reload doesn't take away what a person has read. */
export function keepCut(chat: string, cut: CutAnswer | undefined): void {
  if (cut === undefined) globalThis.sessionStorage?.removeItem(keyOf(chat));
  else globalThis.sessionStorage?.setItem(keyOf(chat), JSON.stringify(cut));
}

export function readCut(chat: string): CutAnswer | undefined {
  const kept = globalThis.sessionStorage?.getItem(keyOf(chat));
  return kept ? (JSON.parse(kept) as CutAnswer) : undefined;
}

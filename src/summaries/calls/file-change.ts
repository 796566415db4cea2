/** What a call does to one file. */
export type FileChange = TextChange | NameChange;

interface OfFile {
  readonly file: string;
}

/** A change of what stands in a file. */
type TextChange =
  | (OfFile & {
      /** Puts a text in the place of another one; without an old text it is put in somewhere. */
      readonly type: "replace";
      readonly old: string;
      readonly now: string;
      /** In every place, not only in the one. */
      readonly all: boolean;
      /** Both texts are lines from their beginning to their end. */
      readonly inLines?: true;
    })
  | (OfFile & {
      /** Gives a file its whole text. */
      readonly type: "write";
      readonly now: string;
    });

/** A change of where a file is. */
type NameChange =
  | (OfFile & { readonly type: "delete" })
  | (OfFile & {
      readonly type: "move";
      readonly to: string;
    });

/** Lines of a text without their indentation. */
export function lineSet(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

/** The lines that a change adds, as far as the change itself says. */
export function addedText(change: FileChange): string {
  if (change.type === "write") return change.now;
  if (change.type !== "replace") return "";
  const old = lineSet(change.old);
  return change.now
    .split("\n")
    .filter((line) => !old.has(line.trim()))
    .join("\n");
}

/** The text that a change replaces, or quotes only to say where. */
export function leftText(change: FileChange): string {
  return change.type === "replace" ? change.old : "";
}

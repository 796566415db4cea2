/** `#12`, `#12–18`, `(#12, #15–18)` at the end of a line: where a line of a record rests on the transcript. */
const ONE = "#\\d+(?:\\s?[–-]\\s?#?\\d+)?";
const POINTERS = new RegExp(`\\s*[([]?${ONE}(?:(?:,|;| and)?\\s*${ONE})*[)\\]]?(?=[.;]?\\s*$)`, "gm");
const FIRST = /#(\d+)/;

/** A record without the pointers at the ends of its lines: what its length is measured by. */
export function withoutPointers(text: string): string {
  return text.includes("#") ? text.replace(POINTERS, "") : text;
}

/** The first message that a line points at (its number, from 1); undefined where it has no pointer. */
export function firstPointer(line: string): number | undefined {
  const pointers = line.match(POINTERS)?.at(-1);
  const number = pointers === undefined ? undefined : FIRST.exec(pointers)?.[1];
  return number === undefined ? undefined : Number(number);
}

import { stringifyDeep } from "./deep-json.ts";
import { textSlices } from "./first-characters.ts";
import type { Steps } from "./steps.ts";

/** Longer texts are written piece by piece (characters). */
const LONG_TEXT_CHARS = 524_288;
/** Characters that are written in one step: some milliseconds of work. */
const STEP_CHARS = 262_144;

/** `stringifyDeep` in steps, as far as its work is to write long texts. The result is the same. */
export function* stringifySteps(value: unknown): Steps<string> {
  const texts: string[] = [];
  const rest = writeWithout(value, texts)?.split(JSON.stringify(MARK));
  // A text of the same words as the mark was there, or what is written is nested too deep for this way.
  if (texts.length === 0 || rest?.length !== texts.length + 1) return stringifyDeep(value);
  const pieces: string[] = [];
  for (const [index, piece] of rest.entries()) {
    pieces.push(piece);
    if (index === texts.length) break;
    pieces.push('"');
    for (const slice of textSlices(texts[index]!, STEP_CHARS)) {
      pieces.push(JSON.stringify(slice).slice(1, -1));
      yield;
    }
    pieces.push('"');
  }
  return pieces.join("");
}

const MARK = "\u0001precis long text";

/** JSON with a mark in the place of each long text, which `texts` gets; undefined where that isn't possible. */
function writeWithout(value: unknown, texts: string[]): string | undefined {
  try {
    return JSON.stringify(value, (_key, one: unknown) => {
      if (typeof one !== "string" || one.length <= LONG_TEXT_CHARS) return one;
      texts.push(one);
      return MARK;
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

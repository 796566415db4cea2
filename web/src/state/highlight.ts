import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** Longer code keeps its one colour (characters). */
const MOST_CHARS = 50_000;

export type Piece = ReturnType<typeof lowlight.highlight>["children"][number];

/** Code in pieces that know what they are; undefined of a language that isn't known here. */
export function highlight(code: string, language: string): readonly Piece[] | undefined {
  if (code.length > MOST_CHARS || !lowlight.registered(language)) return undefined;
  return lowlight.highlight(language, code).children;
}

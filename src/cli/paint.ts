import { columnsOf, hasColor, type Io, type Output } from "./io.ts";

/** Names what a colour means, so that the same meaning has the same colour everywhere. */
export type Tone = "good" | "warn" | "bad" | "accent" | "dim" | "strong";

const CODES: Readonly<Record<Tone, readonly [number, number]>> = {
  good: [32, 39],
  warn: [33, 39],
  bad: [31, 39],
  accent: [36, 39],
  dim: [2, 22],
  strong: [1, 22],
};

export type Paint = (tone: Tone, text: string) => string;

/** Paints for a terminal, or leaves the text as it is. */
export const createPaint = (color: boolean): Paint =>
  color ? (tone, text) => `\u001b[${CODES[tone][0]}m${text}\u001b[${CODES[tone][1]}m` : (_, text) => text;

/** How an output looks: how wide it is, and in which colours. */
export interface Look {
  readonly columns: number;
  readonly paint: Paint;
}

export const lookOf = (output: Output, env: Io["env"]): Look => ({
  columns: columnsOf(output, env),
  paint: createPaint(hasColor(output, env)),
});

import type { Tone } from "../paint.ts";
import type { MeterFacts } from "./meter.ts";

/** Where a chat is shown: a terminal, plain lines for scripts, or JSON. */
export interface Screen {
  readonly columns: number;
  text(piece: string): void;
  /** A piece of what the model thought before it. */
  reasoning(piece: string): void;
  endAnswer(stopped: boolean): void;
  /** What a command was asked for. */
  output(text: string): void;
  /** Something beside the conversation. */
  notice(tone: Tone, text: string): void;
  /** Something takes a while (undefined: no longer). */
  busy(label: string | undefined): void;
  meter(facts: MeterFacts | undefined): void;
}

import type { Random } from "./random.ts";
import { createWriter, type Writer } from "./writer.ts";

/**
 * A conversation as people and tools have it, in no wire format. Choices of form (`shape`) are part of it, so that it is
 * written in the same way each time. Every text carries a marker that stands nowhere else.
 */
export interface Conversation {
  system: string | undefined;
  turns: Turn[];
}

export interface Turn {
  /** An instruction that comes before the user's words, where the format allows one among the messages. */
  later: string | undefined;
  user: Said;
  rounds: Round[];
  /** Undefined: the model hasn't answered yet. */
  answer: Said | undefined;
}

export interface Said {
  text: string;
  images: number;
  shape: Shape;
}

/** A text alone, a list with one text, or the text in two pieces. */
export type Shape = "text" | "list" | "pieces";

export interface Round {
  say: string | undefined;
  think: string | undefined;
  calls: Call[];
  shape: Shape;
}

export interface Call {
  id: string;
  name: string;
  args: Record<string, unknown>;
  result: string;
  failed: boolean;
  image: boolean;
  shape: Shape;
  /** What is wrong with its result; `none` in a valid transcript. */
  fault: Fault;
}

/** The result never came, came after the next message, or came twice. */
export type Fault = "none" | "missing" | "late" | "twice";

export interface ConversationOptions {
  readonly turns: number;
  /** Share of calls whose result is faulty. */
  readonly faults?: number;
}

const TOOLS = ["read_file", "bash", "search", "edit_file", "fetch"];
const SHAPES: readonly Shape[] = ["text", "text", "list", "pieces"];

export interface Talk {
  readonly writer: Writer;
  conversation(options: ConversationOptions): Conversation;
  turn(faults?: number): Turn;
  said(): Said;
  round(faults?: number): Round;
}

/** Makes conversations and their pieces. */
export function createTalk(random: Random): Talk {
  const writer = createWriter(random);
  const { int, chance, pick } = random;

  const said = (): Said => ({
    text: writer.text(writer.size()),
    images: chance(0.06) ? int(1, 2) : 0,
    shape: pick(SHAPES),
  });
  const call = (faults: number): Call => ({
    id: `call_${writer.marker()}`,
    name: pick(TOOLS),
    args: chance(0.8)
      ? { path: writer.path(), note: writer.text(int(0, 12)) }
      : { command: writer.text(int(1, 200)) },
    result: writer.result(),
    failed: chance(0.05),
    image: chance(0.04),
    shape: pick(SHAPES),
    fault: chance(faults) ? pick<Fault>(["missing", "late", "twice"]) : "none",
  });
  const round = (faults = 0): Round => ({
    say: chance(0.4) ? writer.text(int(1, 40)) : undefined,
    think: chance(0.25) ? writer.text(int(1, 60)) : undefined,
    calls: Array.from({ length: chance(0.7) ? 1 : int(2, 4) }, () => call(faults)),
    shape: pick(SHAPES),
  });
  const turn = (faults = 0): Turn => ({
    later: chance(0.06) ? writer.text(int(2, 20)) : undefined,
    user: said(),
    rounds: chance(0.5) ? [] : Array.from({ length: int(1, 5) }, () => round(faults)),
    answer: said(),
  });
  /** Half of them end with the user's words, most others with results that the model has yet to read. */
  const end = (turns: Turn[]): void => {
    const last = turns.at(-1)!;
    const way = random.next();
    if (way < 0.5) turns.push({ later: undefined, user: said(), rounds: [], answer: undefined });
    else if (way < 0.85 && last.rounds.length > 0) last.answer = undefined;
  };
  return {
    writer,
    said,
    round,
    turn,
    conversation({ turns: count, faults = 0 }) {
      const turns = Array.from({ length: count }, () => turn(faults));
      end(turns);
      return { system: chance(0.7) ? writer.text(int(3, 60)) : undefined, turns };
    },
  };
}

import type { ChatMessage } from "../../src/apis/index.ts";
import { chat } from "../../src/testing/index.ts";

/** What a client sends with every request, and how large the answers of its tools are. All in tokens. */
export interface WorkSize {
  /** System prompt and tools together. */
  readonly head: number;
  /** One file that is read. */
  readonly file: number;
  /** A long file that is read again and again. */
  readonly long: number;
}

/** Of what a window leaves beside the head: one file, and the long one. */
const FILE_SHARE = 1 / 25;
const LONG_SHARE = 0.6;
/** No longer than what tools of real clients give back in one piece (tokens). */
const MOST_LONG = 10_000;
/** Characters of the made-up text for each of its tokens, by o200k_base. */
const PROMPT_CHARACTERS = 4.1;
const CODE_CHARACTERS = 2.75;
/** Share of the head that is tools. */
const TOOLS_SHARE = 0.4;
/** Every so many rounds two files are read at once, the model says what it is about to do, the long file is read. */
const PAIR_EVERY = 7;
const SPEAK_EVERY = 5;
const LONG_EVERY = 11;

/** Files that grow with the window, so that the work is always many windows long. */
export function workSize(head: number, window: number): WorkSize {
  const free = window - head;
  return { head, file: free * FILE_SHARE, long: Math.min(free * LONG_SHARE, MOST_LONG) };
}

const fileName = (number: number): string => `src/module-${number % 10}/part-${number}.ts`;

/** Text that looks like code and differs from file to file. */
function fileText(number: number, tokens: number): string {
  const lines: string[] = [];
  for (let line = 0, characters = 0; characters < tokens * CODE_CHARACTERS; line++) {
    const text = `export const value${number}x${line} = compute("${fileName(number)}", ${number * 31 + line * 7});`;
    lines.push(text);
    characters += text.length + 1;
  }
  return lines.join("\n");
}

/** A system prompt and tools of a given size. */
export function headOf({ head }: WorkSize): { readonly system: ChatMessage; readonly tools: object[] } {
  const words = (tokens: number): string => {
    const sentence = "Read what is there before you change it, and say what you are going to do. ";
    return sentence.repeat(Math.ceil((tokens * PROMPT_CHARACTERS) / sentence.length));
  };
  return {
    system: chat.system(words(head * (1 - TOOLS_SHARE))),
    tools: [
      {
        type: "function",
        function: {
          name: "read",
          description: words(head * TOOLS_SHARE),
          parameters: { type: "object", properties: { path: { type: "string" } } },
        },
      },
    ],
  };
}

/** An agent that was asked once and then reads files, round by round. The last message of each round is its result. */
export function* longWork(size: WorkSize, rounds: number): Generator<readonly ChatMessage[]> {
  yield [headOf(size).system, chat.user("Read all files of the project, one after the other. PRE-4711.")];
  let files = 0;
  for (let round = 0; round < rounds; round++) {
    const isLong = round % LONG_EVERY === LONG_EVERY - 1;
    const reads = Array.from({ length: round % PAIR_EVERY === 0 ? 2 : 1 }, (_, at) => {
      const number = isLong ? 0 : files++;
      const path = isLong ? "build.log" : fileName(number);
      const text = fileText(number, isLong ? size.long : size.file);
      return { id: `call_${round}_${at}`, name: "read", args: { path }, text };
    });
    const said = round % SPEAK_EVERY === 0 ? `Reading part ${files} of the project now.` : undefined;
    yield [...chat.calls(reads, said), ...chat.results(reads)];
  }
}

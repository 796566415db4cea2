import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type FakeReplier,
  type FakeRequest,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import type { ClientProgram } from "./client-program.ts";
import { FROM_CLIENT } from "./tap.ts";

/** Stands in what the user asks for, and must reach the model with every request. */
export const TICKET = "PRE-4711";
/** Stands in the model's last answer. */
export const DONE = "TASK-DONE";

const CHARS_PER_TOKEN = 4;
/** Every so many rounds the model asks for two files at once, thinks first, or says what it is about to do. */
const PAIR_EVERY = 7;
const THINK_EVERY = 3;
const SPEAK_EVERY = 5;

const fileName = (number: number): string => `src/module-${number % 10}/part-${number}.ts`;

/** Two files for each round at the most. */
export async function writeFiles(work: string, rounds: number, tokens: number): Promise<void> {
  for (let number = 0; number < 2 * rounds; number++) {
    const path = join(work, fileName(number));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, fileText(number, tokens));
  }
}

/** Text that looks like code and differs from file to file. */
function fileText(number: number, tokens: number): string {
  const lines: string[] = [];
  for (let line = 0, chars = 0; chars < tokens * CHARS_PER_TOKEN; line++) {
    const text = `export const value${number}x${line} = compute("${fileName(number)}", ${number * 31 + line * 7});`;
    lines.push(text);
    chars += text.length + 1;
  }
  return `${lines.join("\n")}\n`;
}

/** A model that reads files for `rounds` rounds and then says that it is done. Asked for a summary or a title, it writes one. */
export function longTask(
  program: ClientProgram,
  { rounds, work }: { readonly rounds: number; readonly work: string },
): { readonly reply: FakeReplier; readonly asked: () => number } {
  let asked = 0;
  let files = 0;
  const reply = summarizingReply({
    when: (request) => !isWork(request),
    otherwise: () => {
      if (asked >= rounds) return `All files are read. ${DONE}`;
      const calls = Array.from({ length: asked % PAIR_EVERY === 0 ? 2 : 1 }, () =>
        program.readCall(fileName(files++), { work }),
      );
      const round = asked++;
      return {
        calls,
        ...(round % THINK_EVERY === 0 && {
          reasoning: `Part ${files} comes next, because of round ${round}.`,
        }),
        ...(round % SPEAK_EVERY === 0 && { text: `Reading part ${files} of the project now.` }),
      };
    },
  });
  return { reply, asked: () => asked };
}

/** The client's own request of its main conversation: not a side call without tools, nor a summary for the gateway. */
export function isWork(request: Pick<FakeRequest, "headers" | "tools">): boolean {
  return request.headers[FROM_CLIENT] !== undefined && request.tools.length > 0;
}

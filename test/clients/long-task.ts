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
/** A rule of the project, in the file that the client reads by itself: it must reach the model with every request, too. */
export const RULE = "The folder src/legacy belongs to another team (RULE-17).";
/** Stands in what a sub-agent is asked for. */
export const SUB_TASK = "SUB-TASK";
/** Stands in the model's last answer. */
export const DONE = "TASK-DONE";

/** A line of a file of the very first round, which no other file holds, and what a model searches for it by. */
export const FIRST_LINE = { query: "value1x5", text: 'value1x5 = compute("src/module-1/part-1.ts", 66)' };
/** The gateway's tool that it searches with. */
export const RECALL = "precis_recall";

const CHARS_PER_TOKEN = 4;
/** Every so many rounds the model asks for two files at once, thinks first, or says what it is about to do. */
const PAIR_EVERY = 7;
const THINK_EVERY = 3;
const SPEAK_EVERY = 5;
/** Every so many rounds it reads one and the same long file, as agents do. */
const LONG_EVERY = 11;
const LONG_SHARE = 0.6;
const LONG_FILE = "build.log";
/** No longer than what every client's tool gives back in one piece (tokens). */
const MOST_LONG_TOKENS = 10_000;

const fileName = (number: number): string => `src/module-${number % 10}/part-${number}.ts`;

/** The project's rules, under the names that clients look for. */
export async function writeRules(work: string): Promise<void> {
  const rules = ["# Rules of this project", ""];
  for (let number = 0; number < 17; number++)
    rules.push(
      `- Module ${number} is tested with \`npm test -- module-${number}\` before anything else is done to it.`,
    );
  rules.push(`- ${RULE}`, "");
  for (const name of ["AGENTS.md", "CLAUDE.md", "GEMINI.md"])
    await writeFile(join(work, name), rules.join("\n"));
}

/** Two files for each round at the most, and a long one that takes more than half of what is free. */
export async function writeFiles(
  work: string,
  { rounds, tokens, free }: { readonly rounds: number; readonly tokens: number; readonly free: number },
): Promise<void> {
  for (let number = 0; number < 2 * rounds; number++) {
    const path = join(work, fileName(number));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, fileText(number, tokens));
  }
  await writeFile(join(work, LONG_FILE), fileText(0, Math.min(free * LONG_SHARE, MOST_LONG_TOKENS)));
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

/**
 * A model that reads files for `rounds` rounds and then says that it is done. In the middle it lets a sub-agent do
 * something, where the client has them. Asked for anything else (a summary, a title, the sub-agent's part), it writes a
 * few words.
 */
export function longTask(
  program: ClientProgram,
  {
    rounds,
    work,
    from = 0,
    looksBack = false,
  }: {
    readonly rounds: number;
    readonly work: string;
    readonly from?: number;
    /** Before it is done, it asks the gateway what the first file said. */
    readonly looksBack?: boolean;
  },
): { readonly reply: FakeReplier; readonly asked: () => number } {
  let asked = 0;
  let hasLookedBack = false;
  let files = 2 * from;
  const reply = summarizingReply({
    when: (request) => !isWork(request) && !wantsJson(request),
    otherwise: (request) => {
      if (wantsJson(request)) return JSON.stringify(program.jsonAnswer ?? {});
      const { messages } = request;
      if (asked >= rounds && looksBack && !hasLookedBack) {
        hasLookedBack = true;
        return { text: "One more look.", calls: [{ name: RECALL, args: { query: FIRST_LINE.query } }] };
      }
      const found = looksBack && messages.at(-1)!.text.includes(FIRST_LINE.text) ? FIRST_LINE.text : "";
      if (asked >= rounds) return `All files are read. ${found} ${DONE}`;
      const round = asked++;
      if (program.subAgentCall && round === Math.floor(rounds / 2))
        return { calls: [program.subAgentCall(`${SUB_TASK} ${from}: how many modules are there?`)] };
      const calls = Array.from({ length: round % PAIR_EVERY === 0 ? 2 : 1 }, () =>
        program.readCall(round % LONG_EVERY === LONG_EVERY - 1 ? LONG_FILE : fileName(files++), { work }),
      );
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

/** Must the answer be JSON? */
function wantsJson({ body }: Pick<FakeRequest, "body">): boolean {
  return JSON.stringify(body["generationConfig"] ?? "").includes('"responseMimeType":"application/json"');
}

/** The client's own request of its main conversation: not a title, a sub-agent, or a summary for the gateway. */
export function isWork(request: Pick<FakeRequest, "headers" | "tools" | "messages">): boolean {
  return (
    request.headers[FROM_CLIENT] !== undefined &&
    request.tools.length > 0 &&
    request.messages.some(({ text }) => text.includes(TICKET))
  );
}

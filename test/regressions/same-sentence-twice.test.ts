/** One summary message said the same sentence twice: in the record and in what is quoted beside it, or as a statement and in its line. */
import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { ModelRequest } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";

const CONCLUSION = "The importer failed because parcel-index.db was locked by the nightly backup.";
const RULE = "Never restart the depot server before the night shift has ended.";
const times = (text: string, part: string): number => text.split(part).length - 1;

const work = (said: string): ChatMessage[] => [
  chat.system("You help."),
  chat.user(RULE),
  ...chat.round("read_file", { path: "src/importer.ts" }, "export const importer = 1;", "call_1"),
  chat.assistant(said),
  ...Array.from({ length: 30 }, (_, at) => [
    chat.user(`Look at part ${at} of the importer, please.`),
    ...chat.round(
      "read_file",
      { path: `src/part-${at}.ts` },
      `const part${at} = ${"x + ".repeat(60)}1;`,
      `c${at}`,
    ),
    chat.assistant(`Part ${at} is fine, it only reads table_${at}.`),
  ]).flat(),
  chat.user("Go on."),
];

async function summaryText(transcript: ChatMessage[], record?: string): Promise<string> {
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: 8_000,
    ...(record !== undefined && {
      summarizer: {
        id: "fake",
        window: 100_000,
        complete: async (_: ModelRequest) => ({
          text: `<conversation-summary>${record}</conversation-summary>`,
          stop: "end" as const,
          usage: { input: 1, output: 1 },
        }),
      },
    }),
  });
  const { messages } = await compactor.compact(transcript, { budget: 2_000, now: 1 });
  await compactor.close();
  return messages
    .map(({ content }) => String(content))
    .find((text) => text.includes("<conversation-summary>"))!;
}

describe("a sentence stands once in a summary message", () => {
  it("that the record says word for word, in whatever marks", async () => {
    const text = await summaryText(
      work(CONCLUSION),
      `## Findings\n- **${CONCLUSION}** #5\n## Rules\n- "${RULE}" #2\n- The user wanted all parts of the importer looked at, one by one. #6–120`,
    );
    expect(text).toContain("Findings");
    expect(times(text, CONCLUSION.slice(0, -1))).toBe(1);
    expect(times(text, RULE.slice(0, -1))).toBe(1);
  });

  it("that is a statement and a part of a line of the same message", async () => {
    const said = `${CONCLUSION} Then table_7 and lock_owner in depot.sqlite were checked, and retry_ms is 250 there.`;
    const text = await summaryText([
      ...work(said),
      chat.user("What about lock_owner and retry_ms in depot.sqlite?"),
    ]);
    expect(text).toContain("retry_ms");
    expect(times(text, CONCLUSION.slice(0, -1))).toBeLessThanOrEqual(1);
  });

  it("that the user said and a file says", async () => {
    const [system, rule, ...rest] = work(CONCLUSION);
    const read = chat.round("read_file", { path: "docs/night-shift.md" }, `# Depot\n${RULE}`, "call_0");
    const asked = chat.user("What does docs/night-shift.md say about the depot server and the night shift?");
    const text = await summaryText([system!, rule!, ...read, ...rest, chat.assistant("I look."), asked]);
    expect(times(text, RULE.slice(0, -1))).toBe(1);
  });
});

it("what a record doesn't say is still quoted", async () => {
  const text = await summaryText(
    [...work(CONCLUSION), ...talk(2)],
    "The user had all parts of the importer looked at, one by one, and each was fine.",
  );
  expect(text).toContain(RULE);
});

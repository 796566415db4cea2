/** Where one message took most of a small budget, no model was asked, a quarter of the rest was used, and nobody was told. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { gatedModel } from "./gated-model.ts";

const rules = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `rule ${n}: the field number${n} holds what the ship${n} brought.`,
  ).join("\n");
const round = (n: number): ChatMessage[] => [
  {
    role: "assistant",
    content: `I look at file ${n}.`,
    tool_calls: [
      {
        id: `c${n}`,
        type: "function",
        function: { name: "bash", arguments: JSON.stringify({ command: `cat src/f${n}.ts` }) },
      },
    ],
  },
  { role: "tool", tool_call_id: `c${n}`, content: `export const value_${n} = ${n};\n`.repeat(12) },
];
const RECORD =
  "<conversation-summary>## Done\n- Read src/f0.ts to src/f9.ts, each of which exports one value. (#3–20)</conversation-summary>";
const BUDGET = 3_600;

it("the model's record is asked for and shown beside a task that takes three quarters of the budget", async () => {
  const model = gatedModel({ reply: () => RECORD });
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, budget: BUDGET, summarizer: model });
  const task = chat.user(`Port the parser. ${rules(180)}`);
  const transcript = [
    chat.system("You are an agent."),
    task,
    ...Array.from({ length: 14 }, (_, n) => round(n)).flat(),
  ];
  let shown = "";
  for (let n = 14; n < 24; n++) {
    const { messages, report } = await compactor.fit(transcript);
    await compactor.settled();
    expect(messages).toContain(task);
    expect(report.tokens.after).toBeLessThanOrEqual(BUDGET);
    shown = JSON.stringify(messages);
    if (shown.includes("each of which exports one value")) break;
    transcript.push(...round(n));
  }
  await compactor.close();
  expect(model.requests.length).toBeGreaterThan(0);
  expect(shown).toContain("each of which exports one value");
});

it("whoever compacts by hand is told where nothing of the model fits, as with every other request", async () => {
  const model = gatedModel({ reply: () => RECORD });
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, budget: BUDGET, summarizer: model });
  const task = chat.user(`Port the parser. ${rules(222)}`);
  const transcript = [
    chat.system("You are an agent."),
    task,
    ...Array.from({ length: 14 }, (_, n) => round(n)).flat(),
  ];
  const codes = async (how: "fit" | "compact") =>
    (await compactor[how](transcript)).report.warnings.map(({ code }) => code);
  expect(await codes("compact")).toContain("no-room-for-summaries");
  await compactor.close();
  const again = createCompactor<ChatMessage>({ dialect: openaiChat, budget: BUDGET, summarizer: model });
  expect((await again.fit(transcript)).report.warnings.map(({ code }) => code)).toContain(
    "no-room-for-summaries",
  );
  await again.close();
});

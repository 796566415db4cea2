import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";

const BUDGET = 2_500;
const words = (count: number, seed: number) =>
  Array.from({ length: count }, (_, at) => `word${(at * 7_919 + seed * 104_729) % 5_000}`).join(" ");
const round = (id: string, said: string, result: string) => [
  {
    role: "assistant",
    content: said,
    tool_calls: [
      {
        id,
        type: "function",
        function: { name: "bash", arguments: JSON.stringify({ command: `cat ${id}` }) },
      },
    ],
  },
  { role: "tool", tool_call_id: id, content: result },
];

it.each([420, 520, 620])(
  "a round of %i words that was cut for the record of a long history isn't cut again",
  async (count) => {
    const transcript = [
      { role: "user", content: "Fix all bugs in the repository." },
      ...Array.from({ length: 110 }, (_, n) => round(`c${n}`, words(30, n), words(200, n + 1))).flat(),
      ...round("newest", "Look.", words(count, 3)),
    ];
    const compactor = createCompactor({ dialect: openaiChat, budget: BUDGET, profile: profiles.agent });
    const first = await compactor.fit(transcript);
    expect(first.report.outcome).toBe("compacted");
    expect(JSON.stringify(first.messages)).not.toContain(words(count, 3));
    const again = await compactor.fit(transcript);
    expect(again.report.outcome).not.toBe("compacted");
    expect(again.report.checkpoint).toBe(first.report.checkpoint);
    expect(again.messages).toEqual(first.messages);
  },
);

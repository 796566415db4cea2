import { expect, it } from "vitest";
import { openaiResponses, type ResponsesItem } from "../../src/apis/index.ts";
import { createCompactor, type StrategyName } from "../../src/index.ts";
import { responses as b, checkView } from "../../src/testing/index.ts";

const WORDS = "the harbour is quiet and the ships wait for the morning tide. ";
const talk = (count: number, from: number): ResponsesItem[] =>
  Array.from({ length: count }, (_, n) => [
    b.user(`Question ${from + n}: ${WORDS.repeat(8)}`),
    b.assistant(`Answer ${from + n}: ${WORDS.repeat(8)}`),
  ]).flat();

/** What the API refuses one without the other: the request for consent, the consent, and the call that it allowed. */
function approved(id: string, words: number, isThoughtful: boolean): ResponsesItem[] {
  const call = { name: "look", server_label: "s", arguments: JSON.stringify({ where: WORDS.repeat(words) }) };
  const thought = { type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: "abc" };
  return [
    b.user(`Look at ${id}.`),
    { type: "mcp_approval_request", id, ...call },
    { type: "mcp_approval_response", approval_request_id: id, approve: true } as ResponsesItem,
    ...(isThoughtful ? [thought] : []),
    { type: "mcp_call", id: `mcp_${id}`, ...call, output: WORDS, approval_request_id: id },
    b.assistant("It is quiet."),
  ];
}

const STRATEGIES: StrategyName[] = [
  "summarize-oldest",
  "truncate-oldest",
  "drop-middle",
  "drop-all",
  "summarize-and-drop",
  "tool-summaries",
];

it.each(STRATEGIES)("%s keeps an approval, its request and its call together", async (strategy) => {
  let changed = 0;
  for (const words of [1, 60])
    for (const isThoughtful of [false, true])
      for (let behind = 0; behind < 8; behind++) {
        const transcript = [
          ...talk(25, 0),
          ...approved("mcpr_1", words, isThoughtful),
          ...talk(behind, 100),
          b.user("And now?"),
        ];
        const compactor = createCompactor({ dialect: openaiResponses, window: 8_000, strategy });
        const result = await compactor.fit(transcript);
        const seen = result.messages.filter(({ type }) => type?.startsWith("mcp_")).length;
        expect([0, 3], `${behind} behind, ${words} words`).toContain(seen);
        const count = () => 0;
        const judged = checkView({
          dialect: "openai-responses",
          transcript,
          result,
          count,
          budget: Infinity,
        });
        expect(judged.filter((breach) => breach.startsWith("wire:"))).toEqual([]);
        if (result.report.outcome === "compacted") changed++;
      }
  expect(changed).toBeGreaterThan(20);
});

it("an approval that was just given stays with its request, though both are large", async () => {
  const compactor = createCompactor({ dialect: openaiResponses, window: 8_000 });
  const [asked, request, response] = approved("mcpr_1", 60, false);
  const { messages, report } = await compactor.fit([...talk(32, 0), asked!, request!, response!]);
  expect(report.outcome).toBe("compacted");
  expect(messages.slice(-3)).toEqual([asked, request, response]);
});

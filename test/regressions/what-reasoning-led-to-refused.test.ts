import { expect, it } from "vitest";
import { openaiResponses, type ResponsesItem } from "../../src/apis/index.ts";
import { createCompactor, profiles } from "../../src/index.ts";
import { responses as b } from "../../src/testing/index.ts";

/** Long enough for the reductions to gain something. */
const longText = (number: number): string =>
  Array.from(
    { length: 120 },
    (_, line) => `export const value${line} = compute("${number}.ts", ${line});`,
  ).join("\n");

/** As clients that keep everything send it: the API knows by the ids which item came with which reasoning. */
function thoughtfulRound(number: number): ResponsesItem[] {
  const [call, output] = b.round("read", { path: `${number}.ts` }, longText(number), `c${number}`);
  return [
    { type: "reasoning", id: `rs_${number}`, summary: [], encrypted_content: `secret ${number}` },
    {
      type: "message",
      id: `msg_${number}`,
      role: "assistant",
      content: [{ type: "output_text", text: `Reading file ${number} now.` }],
    },
    { ...call!, id: `fc_${number}` },
    output!,
  ];
}

it("what reasoning led to is sent as new where the reasoning has left", async () => {
  const compactor = createCompactor({ dialect: openaiResponses, window: 32_000, profile: profiles.agent });
  const transcript: ResponsesItem[] = [b.user("Read all the files.")];
  let rungs = "";
  for (let number = 0; number < 60; number++) {
    transcript.push(...thoughtfulRound(number));
    const { messages, report } = await compactor.fit(transcript);
    rungs += ` ${report.rungs.find(({ result }) => result === "used")?.rung ?? ""}`;
    const shown = new Set(messages.map(({ id }) => id));
    for (const { id, type, role } of messages) {
      // The schema wants an id of what the model said, and it must not be the one that the API knows.
      if (type === "message" && role === "assistant") expect(id).toMatch(/^msg_/);
      if (id?.startsWith("msg_precis")) continue;
      const lead = typeof id === "string" ? id.replace(/^(?:msg|fc)_/, "rs_") : undefined;
      if (lead !== undefined) expect(shown.has(lead), `${id} needs ${lead}`).toBe(true);
    }
  }
  expect(rungs).toMatch(/reductions/);
  expect(rungs).toMatch(/extractive/);
});

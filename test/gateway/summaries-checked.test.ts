/** What a summary missed of what came next stands in the records of requests, in receipts and in the metrics. */
import { expect, it } from "vitest";
import { receiptWords } from "../../src/gateway/api.ts";
import { receiptsIn, rowsOf } from "../../src/gateway/conversation/timeline.ts";
import { startBoth } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const MODEL = "gpt-4o";
const SUMMARY =
  "## Goals\n- The user asks about the parts of a shop, one after the other, and the assistant explains each of them. #2\n## Done\n- Several parts were explained in some detail. #3";
const pathOf = (n: number) => `src/shop/part-${n}.ts`;

it("a path that the next rounds used and the summary missed is counted, and named where the compaction is", async () => {
  const { gateway, provider } = await startBoth(
    { window: 9_000, summarizer: "same" },
    {
      window: 100_000,
      reply: ({ lastUser }) =>
        lastUser.startsWith("Question")
          ? `${pathOf(Number(/\d+/.exec(lastUser)![0]) + 1_000)} does it. ${"It is described at length in here. ".repeat(20)}`
          : SUMMARY,
    },
  );
  const messages: { role: string; content: string }[] = [{ role: "system", content: "You explain." }];
  for (let n = 0; n < 60; n++) {
    // Something that an answer of long ago named.
    const old = n < 12 ? "" : ` And is it like ${pathOf(1_000 + n - 12)}?`;
    messages.push({ role: "user", content: `Question ${n}: which file does this?${old}` });
    const response = await post(`${gateway.url}/v1/chat/completions`, { model: MODEL, messages });
    expect(response.status).toBe(200);
    const { choices } = (await response.json()) as { choices: { message: (typeof messages)[0] }[] };
    messages.push(choices[0]!.message);
    await gateway.gateway.compactors.settled();
  }
  const { conversations } = await gateway.gateway.store.conversations.list("default");
  const rows = await rowsOf(gateway.gateway, "default", conversations[0]!.id);
  const { compactions } = receiptsIn(rows);
  const checks = compactions.flatMap(({ summaryCheck }) => summaryCheck ?? []);
  expect(checks.length).toBeGreaterThan(0);
  const check = checks.find(({ added }) => added.length > 0)!;
  expect(check).toMatchObject({ model: MODEL, prompt: expect.stringMatching(/@\d/) });
  expect(check.missed[0]).toMatch(/^src\/shop\/part-10\d\d\.ts$/);
  const receipt = compactions.find(({ summaryCheck }) => summaryCheck === check)!;
  const said = receiptWords(receipt).join(" ");
  expect(said).toMatch(/Of \d+ names? that came up next, its summary missed \d+: src\/shop\/part-/);
  // What was added was sent.
  const sent = provider.requests.map(({ body }) => JSON.stringify(body));
  expect(sent.some((body) => body.includes("conversation-summary") && body.includes(check.added[0]!))).toBe(
    true,
  );
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const named = new RegExp(
    `precis_summary_names_total\\{model="${MODEL}",prompt="\\w+@\\d+",result="added"\\} [1-9]`,
  );
  expect(metrics).toMatch(named);
});

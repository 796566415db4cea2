/** A host without a gateway learns from its reports what compactions saved: what its provider's bill says. */
import { expect, onTestFinished, test } from "vitest";
import { openaiChat } from "../../src/apis/chat/index.ts";
import type { ChatMessage } from "../../src/apis/chat/read.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { type AnsweredRequest, compactionReceipts, exactCounter, modelInfo } from "../../src/tokens/index.ts";
import { spendOf } from "../../src/tokens/model-info.ts";
import { fileText } from "../gateway/long-task.ts";

const MODEL = "gpt-4o";
const ROUNDS = 90;

/** A talk of many rounds over a window of so many tokens: what was answered, and the provider's bill. */
async function talk(window: number) {
  const clock = createFakeClock(Date.now());
  const { count } = await exactCounter("o200k_base");
  const provider = await startFakeProvider({
    window: 400_000,
    count,
    now: clock.now,
    reply: ({ lastUser }) =>
      `About ${lastUser.slice(0, 12)}: ${fileText(lastUser.slice(0, 12)).slice(0, 900)}`,
  });
  onTestFinished(() => provider.close());
  const compactor = createCompactor({ dialect: openaiChat, window });
  const transcript = [{ role: "system", content: `You answer. ${"Be brief and exact. ".repeat(80)}` }];
  const answered: AnsweredRequest[] = [];
  let state: Awaited<ReturnType<typeof compactor.fit>>["state"] | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    transcript.push({ role: "user", content: `Question ${round}: ${fileText(`q${round}`).slice(0, 500)}` });
    const at = clock.now();
    const fitted = await compactor.fit(transcript, { state, now: at });
    const response = await fetch(`${provider.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: fitted.messages }),
    });
    const { choices } = (await response.json()) as { choices: { message: (typeof transcript)[0] }[] };
    transcript.push(choices[0]!.message);
    const { tokens, outputTokens } = provider.requests.at(-1)!;
    const usage = { ...tokens, output: outputTokens };
    answered.push({ report: fitted.report, usage, at });
    await compactor.observe({ usage, report: fitted.report, tokens: fitted.report.tokens.after });
    state = fitted.state;
    clock.advance(round % 25 === 24 ? 10 * 60_000 : 20_000);
  }
  const { prices } = modelInfo(MODEL);
  return { answered, bill: answered.reduce((sum, { usage }) => sum + spendOf(usage, prices!), 0) };
}

test("the net of all compactions is the difference of two bills, to the cent", async () => {
  const plain = await talk(400_000);
  const { answered, bill } = await talk(16_000);
  expect(compactionReceipts(plain.answered, { model: MODEL })).toMatchObject({ compactions: [], net: 0 });
  // Reports may be kept as JSON: without their entries they are small.
  const kept = answered.map(({ report, ...one }) => {
    const { tokens, budget, prefixReason, recalled, checkpoint, cost } = report;
    return { ...one, report: { tokens, budget, prefixReason, recalled, checkpoint, cost } };
  });
  const stored = JSON.parse(JSON.stringify(kept)) as AnsweredRequest[];
  const { compactions, spend, net } = compactionReceipts(stored, { model: MODEL });
  expect(spend).toBeCloseTo(bill, 9);
  expect(Math.abs(net - (plain.bill - bill))).toBeLessThan(0.01);
  expect(compactions.length).toBeGreaterThan(2);
  expect(compactions.reduce((sum, one) => sum + one.net, 0)).toBeCloseTo(net, 9);
  // Paid by hand: a summary that a report tells the cost of belongs to its compaction.
  const at = answered.findIndex(({ report }) => report.checkpoint !== undefined);
  const dear = stored.map((one, n) => (n === at ? { ...one, report: { ...one.report, cost: 0.5 } } : one));
  expect(compactionReceipts(dear, { model: MODEL })).toMatchObject({ net: net - 0.5 });
  expect(compactionReceipts(dear, { model: MODEL }).compactions[0]!.summaries).toBe(0.5);
  // Nobody knows what another model costs.
  expect(compactionReceipts(stored, { model: "my-own" }).compactions[0]).toMatchObject({ saved: 0 });
});

test("what an agent asks for again, because a compaction hid it, is in its report and in the receipt, once", async () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 6_000 });
  const transcript: ChatMessage[] = [{ role: "user", content: "Read them." }];
  const answered: AnsweredRequest[] = [];
  let state: Awaited<ReturnType<typeof compactor.fit>>["state"] | undefined;
  for (let round = 0; round < 28; round++) {
    const { report, ...fitted } = await compactor.fit(transcript, { state });
    state = fitted.state;
    answered.push({ report, usage: { input: report.tokens.after, output: 20 } });
    // It reads files, and now and then the first one again.
    const path = round % 9 === 8 ? "src/a-0.ts" : `src/a-${round}.ts`;
    const call = {
      id: `call_${round}`,
      type: "function" as const,
      function: { name: "read_file", arguments: JSON.stringify({ path }) },
    };
    transcript.push(
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: fileText(path) },
    );
  }
  const { compactions } = compactionReceipts(answered, { model: MODEL });
  const repeated = compactions.flatMap((one) => one.repeated);
  expect(repeated).toHaveLength(answered.filter(({ report }) => report.repeated).length);
  expect(new Set(repeated)).toEqual(new Set(["read_file path=src/a-0.ts"]));
  const told = answered.flatMap(({ report }) => report.repeated ?? []);
  for (const { checkpoint } of told)
    expect(compactions.find((one) => one.checkpoint === checkpoint)!.repeated.length).toBeGreaterThan(0);
});

test("what one compaction hid is asked for again after the next one: it was the first one's doing", async () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 100_000 });
  const transcript: ChatMessage[] = [{ role: "user", content: "Read them." }];
  let rounds = 0;
  const read = (path: string) => {
    const id = `call_${rounds++}`;
    const call = {
      id,
      type: "function" as const,
      function: { name: "read_file", arguments: JSON.stringify({ path }) },
    };
    transcript.push(
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: fileText(path) },
    );
  };
  for (let n = 0; n < 20; n++) read(`src/a-${n}.ts`);
  const first = await compactor.compact(transcript, { upTo: 20 });
  for (let n = 20; n < 24; n++) read(`src/a-${n}.ts`);
  const second = await compactor.compact(transcript, { state: first.state, upTo: 36 });
  expect(second.report.checkpoint).not.toBe(first.report.checkpoint);
  const ask = async (path: string) => {
    read(path);
    return (await compactor.fit(transcript, { state: second.state })).report.repeated;
  };
  expect(await ask("src/a-15.ts")).toEqual({
    checkpoint: second.report.checkpoint,
    calls: ["read_file path=src/a-15.ts"],
  });
  expect(await ask("src/a-3.ts")).toEqual({
    checkpoint: first.report.checkpoint,
    calls: ["read_file path=src/a-3.ts"],
  });
  // It is shown again by now.
  expect(await ask("src/a-3.ts")).toBeUndefined();
  for (let n = 24; n < 28; n++) expect(await ask(`src/a-${n}.ts`)).toBeUndefined();
  // That is more than ten rounds after the first one, and less than ten after the second.
  expect(await ask("src/a-4.ts")).toBeUndefined();
  expect((await ask("src/a-16.ts"))?.checkpoint).toBe(second.report.checkpoint);
});

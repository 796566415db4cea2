/** `tool-summaries` with a model: finished rounds in its words, the talk around them as it was. */
import { expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import type { CompactorOptions, Model, ModelRequest } from "../../src/core/types.ts";
import { chat } from "../../src/testing/index.ts";
import { createStage, type Stage } from "./stage.ts";

const WRITTEN = "read_file was called for the parts of the pump; src/pump.ts and valve 4412 were found.";
const LINE = "Summary of previous tool interaction (read_file)";

function createModel(answer: (request: ModelRequest) => string = () => WRITTEN) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    id: "test-model",
    window: 100_000,
    async complete(request) {
      requests.push(request);
      return { text: answer(request), stop: "end", usage: { input: 100, output: 20 } };
    },
  };
  return { model, requests };
}

const stageFor = (options: Partial<CompactorOptions<ChatMessage>>): Stage =>
  createStage({ strategy: "tool-summaries", budget: 6_000, ...options });

let call = 0;
/** A round of about 150 tokens. Results are all needed, so that reductions alone don't help. */
function round(): ChatMessage[] {
  const number = ++call;
  return chat.round(
    "read_file",
    { path: `src/part-${number}.ts` },
    `Part ${number} of the pump: ${`bolt ${number} holds plate ${number + 1}, `.repeat(9)}`,
    `call_${number}`,
  );
}

/** An agent at work: rounds until the view is full, with a word of the user in between. */
async function work(stage: Stage, rounds: number): Promise<void> {
  for (let done = 0; done < rounds; done++) {
    stage.transcript.push(...round());
    if (done % 12 === 11) {
      stage.transcript.push(chat.assistant("So far so good."), chat.user(`Go on with part ${call + 1}.`));
    }
    await stage.fit();
    stage.clock.advance(1_000);
    await stage.compactor.settled();
  }
}

const texts = (messages: readonly ChatMessage[]): string[] =>
  messages.map(({ content }) => String(content ?? ""));

it("the model writes about the rounds, by its own prompt; what people said stays word for word", async () => {
  const { model, requests } = createModel();
  const stage = stageFor({ summarizer: model });
  stage.transcript.push(chat.user("Check all parts of the pump."));
  await work(stage, 60);
  const { messages, report } = await stage.fit();
  expect(requests.length).toBeGreaterThan(0);
  expect(requests[0]?.messages[0]?.text).toContain("finished uses of tools");
  const summaries = texts(messages).filter((text) => text.startsWith(`${LINE}: `));
  expect(summaries.some((text) => text.includes(WRITTEN))).toBe(true);
  expect(report.counts.covered).toBeGreaterThan(10);
  for (const said of stage.transcript.filter(({ role }) => role === "user"))
    expect(texts(messages)).toContain(said.content);
  expect(stage.events.filter((event) => event.startsWith("completed"))).toContain("completed full");
  await stage.compactor.close();
});

it("no round is paid for twice, not even after a restart", async () => {
  const { model, requests } = createModel();
  const stage = stageFor({ summarizer: model });
  stage.transcript.push(chat.user("Check all parts of the pump."));
  await work(stage, 60);
  // A repair asks for missing names of the same rounds.
  const first = requests.filter(({ name }) => !name.endsWith("-repair"));
  expect(first.length).toBeGreaterThan(1);
  const told = first.map(({ messages }) => [...(messages[0]?.text.matchAll(/part-(\d+)\.ts/g) ?? [])]);
  const parts = told.map((found) => new Set(found.map(([, part]) => part)));
  for (const [index, some] of parts.entries())
    for (const others of parts.slice(index + 1)) expect([...some.intersection(others)]).toEqual([]);
  const paid = requests.length;
  const again = stageFor({ summarizer: model });
  again.transcript.push(...stage.transcript.slice(1));
  again.state = JSON.parse(JSON.stringify(stage.state)) as NonNullable<Stage["state"]>;
  const { messages } = await again.fit();
  expect(texts(messages).some((text) => text.includes(WRITTEN))).toBe(true);
  await again.compactor.settled();
  expect(requests.length).toBe(paid);
  await Promise.all([stage.compactor.close(), again.compactor.close()]);
});

it("a model that fails costs its words, not the compaction: lines by code stand in", async () => {
  const { model } = createModel(() => {
    throw new Error("no answer");
  });
  const stage = stageFor({ summarizer: model });
  stage.transcript.push(chat.user("Check all parts of the pump."));
  await work(stage, 60);
  const { messages } = await stage.fit();
  expect(stage.events.some((event) => event.startsWith("failed"))).toBe(true);
  expect(texts(messages).some((text) => text.startsWith(`${LINE}: {"path":"src/part-`))).toBe(true);
  await stage.compactor.close();
});

it("asked for by a person, it waits for the model", async () => {
  const { model, requests } = createModel();
  const stage = stageFor({ summarizer: model, budget: 20_000 });
  stage.transcript.push(chat.user("Check all parts of the pump."));
  for (let done = 0; done < 40; done++) stage.transcript.push(...round());
  const { messages, report } = await stage.compactor.compact(stage.transcript, { now: stage.clock.now() });
  expect(report.modelCalls[0]).toMatchObject({ name: "summarize-full", result: "accepted", rung: "full" });
  expect(requests.filter(({ name }) => !name.endsWith("-repair"))).toHaveLength(1);
  expect(texts(messages).some((text) => text.startsWith(`${LINE}: ${WRITTEN}`))).toBe(true);
  await stage.compactor.close();
});

it("records about rounds are no part of the story that another strategy tells", async () => {
  const { model } = createModel();
  const stage = stageFor({ summarizer: model });
  stage.transcript.push(chat.user("Check all parts of the pump."));
  await work(stage, 60);
  const other = createStage({ budget: 6_000 });
  other.transcript.push(...stage.transcript.slice(1));
  other.state = stage.state;
  const { messages } = await other.fit({ rejected: true });
  expect(texts(messages).join("\n")).not.toContain(WRITTEN);
  await Promise.all([stage.compactor.close(), other.compactor.close()]);
});

/** A summariser that hangs had a thousand requests open at once, one for each conversation; and a turn that was cancelled left its summary running. */
import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";
import { post, startUpstream } from "../gateway/own-upstream.ts";
import { talk } from "../support/host.ts";
import { gatedModel, plausible } from "./gated-model.ts";
import { createStage } from "./stage.ts";

const MOST = 32;
const conversation = (number: number) => [
  chat.user(`Conversation ${number} begins.`),
  chat.assistant(`Conversation ${number} goes on.`),
  ...talk(36, number * 100),
  chat.user("Go on."),
];

it("however many conversations are due, a summariser that hangs has a bounded number of requests open and waiting", async () => {
  const model = gatedModel({ state: "held" });
  const compactor = createCompactor({ dialect: openaiChat, budget: 8_000, summarizer: model });
  const codes: string[] = [];
  for (let number = 0; number < 140; number++) {
    const { report } = await compactor.fit(conversation(number));
    codes.push(...report.warnings.map(({ code }) => code));
  }
  expect(model.requests.length).toBe(MOST);
  const refused = codes.filter((code) => code === "summarizer-busy").length;
  expect(refused).toBeGreaterThan(0);
  model.release();
  await compactor.settled();
  // Those that waited were written in their turn.
  expect(model.requests.length).toBe(140 - refused);
  await compactor.close();
});

it("chats that begin alike get each its own summary, and nothing of the other's words", async () => {
  const model = gatedModel({
    state: "held",
    reply: (request) =>
      plausible(request).replace("user", JSON.stringify(request.messages).includes("Mia") ? "Mia" : "Tom"),
  });
  const compactor = createCompactor({ dialect: openaiChat, budget: 8_000, summarizer: model });
  const of = (name: string) => [
    chat.user("Hello!"),
    chat.assistant("Hello! What can I do for you?"),
    chat.user(`My name is ${name}.`),
    ...talk(36, name.charCodeAt(0)),
    chat.user("Go on."),
  ];
  const [mia, tom] = [await compactor.fit(of("Mia")), await compactor.fit(of("Tom"))];
  expect(model.requests.length).toBe(2);
  model.release();
  const [ofMia, ofTom] = await Promise.all([mia.background, tom.background]);
  expect(JSON.stringify(ofMia.summaries)).toMatch(/^(?!.*Tom).*Mia/);
  expect(JSON.stringify(ofTom.summaries)).toMatch(/^(?!.*Mia).*Tom/);
  // Each report tells of the one request that was made for its chat.
  for (const [name, state] of [
    ["Mia", ofMia],
    ["Tom", ofTom],
  ] as const) {
    const { report } = await compactor.compact(of(name), { state });
    expect(report.modelCalls.length).toBe(1);
  }
  await compactor.close();
});

it("a closed compactor asks for none of the summaries that waited", async () => {
  const model = gatedModel({ state: "held" });
  const compactor = createCompactor({ dialect: openaiChat, budget: 8_000, summarizer: model });
  for (let number = 0; number < 50; number++) await compactor.fit(conversation(number));
  await compactor.close();
  model.release();
  await new Promise(setImmediate);
  expect(model.requests.length).toBe(MOST);
});

it("the gateway bounds them over all conversations and models", async () => {
  let open = 0;
  let most = 0;
  const upstream = await startUpstream((_request, body, response) => {
    const { messages } = JSON.parse(body.toString()) as { messages: { content: string }[] };
    if (messages.at(-1)!.content === "Go on.") {
      response.setHeader("content-type", "application/json");
      const message = { role: "assistant", content: "Yes." };
      response.end(JSON.stringify({ id: "1", object: "chat.completion", choices: [{ index: 0, message }] }));
      return;
    }
    most = Math.max(most, ++open);
    response.on("close", () => open--);
  });
  const gateway = await startGateway({ ...upstreamAt(upstream.url), window: 9_500, summarizer: "same" });
  try {
    for (let number = 0; number < 60; number++) {
      const messages = conversation(number);
      const model = `model-${number % 3}`;
      const response = await post(`${gateway.url}/v1/chat/completions`, { model, messages });
      expect(response.status).toBe(200);
      await response.text();
    }
    await expect.poll(() => most).toBe(MOST);
  } finally {
    await gateway.close();
    await upstream.close();
  }
});

it("a cancelled turn's summary is cancelled with it", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.81);
  const turn = new AbortController();
  await stage.compactor.fit(stage.transcript, { now: stage.clock.now(), signal: turn.signal });
  await expect.poll(() => model.requests).toHaveLength(1);
  turn.abort(new Error("Never mind."));
  expect(model.requests[0]!.signal?.aborted).toBe(true);
  await stage.compactor.settled();
  expect(stage.events.join()).toContain("cancelled");
});

it("a cancelled turn's summary runs on where another turn of the conversation needs it", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.81);
  const turn = new AbortController();
  await stage.compactor.fit(stage.transcript, { now: stage.clock.now(), signal: turn.signal });
  const other = await stage.compactor.fit(stage.transcript, { now: stage.clock.now() });
  turn.abort(new Error("Never mind."));
  expect(model.requests[0]!.signal?.aborted).toBe(false);
  model.release();
  expect((await other.background).summaries).toHaveLength(1);
});

it("a client that leaves in the middle of an answer takes the gateway's summary for its turn with it", async () => {
  const isSummary = (text: string) => text !== "Go on.";
  let closed = 0;
  const upstream = await startUpstream((_request, body, response) => {
    const { messages } = JSON.parse(body.toString()) as { messages: { content: string }[] };
    // Neither the summary nor the answer ends.
    if (isSummary(messages.at(-1)!.content)) response.on("close", () => closed++);
    else response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n");
  });
  const gateway = await startGateway({ ...upstreamAt(upstream.url), window: 9_500, summarizer: "same" });
  try {
    const leaves = new AbortController();
    const asked = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", stream: true, messages: conversation(1) }),
      signal: leaves.signal,
    });
    asked.catch(() => undefined);
    await expect.poll(() => upstream.seen.length).toBe(2);
    leaves.abort();
    await expect.poll(() => closed).toBe(1);
  } finally {
    await gateway.close();
    await upstream.close();
  }
});

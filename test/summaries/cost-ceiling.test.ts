/** A client whose first message changes with every turn paid for up to eight summaries a turn that nobody could use: 126 in 30 turns. */
import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { summarizingReply } from "../../src/testing/fake-provider/index.ts";
import { chat } from "../../src/testing/index.ts";
import { startBoth } from "../gateway/gateway-process.ts";
import { post } from "../gateway/own-upstream.ts";
import { talk } from "../support/host.ts";
import { gatedModel } from "./gated-model.ts";

const TURNS = 45;
/** A chat of so many turns, some 650 tokens each. */
const past = (turns: number) =>
  Array.from({ length: turns }, (_, turn) => [
    chat.user(`Question ${turn}: ${`what does module-${turn}.ts do? `.repeat(30)}`),
    chat.assistant(`Answer ${turn}: ${`module-${turn}.ts exports value${turn}. `.repeat(40)}`),
  ]).flat();
const TOKENS_PER_CHARACTER = 0.25;

/** A chat of so many turns whose message `place` says what time it is. Answers with codes of warnings. */
async function chatWithClock(place: number | undefined, turns = TURNS, options: object = {}) {
  const model = gatedModel();
  const compactor = createCompactor({
    dialect: openaiChat,
    window: 16_000,
    summarizer: model,
    ...options,
  });
  const warnings: { readonly code: string; readonly message: string }[] = [];
  let chatTokens = 0;
  for (let turn = 1; turn <= turns; turn++) {
    const said = past(turn);
    if (place !== undefined && said[place])
      said[place] = { ...said[place]!, content: `It is ${turn} o'clock. ${said[place]!.content}` };
    const transcript = [chat.system("You are a bot."), ...said.slice(0, -1)];
    const { report } = await compactor.fit(transcript);
    chatTokens += report.tokens.after;
    warnings.push(...report.warnings);
    await compactor.observe({ transcript: [...transcript, said.at(-1)!] });
    await compactor.settled();
  }
  await compactor.close();
  const summaryTokens =
    model.requests.reduce(
      (sum, { system = "", messages }) => sum + system.length + messages[0]!.text.length,
      0,
    ) * TOKENS_PER_CHARACTER;
  return { model, warnings, chatTokens, summaryTokens };
}

it("summaries that a changing first message makes useless are asked for a few times, not in every turn", async () => {
  const { model, warnings, chatTokens, summaryTokens } = await chatWithClock(0);
  expect(summaryTokens).toBeLessThan(chatTokens / 4);
  expect(model.requests.length).toBeGreaterThan(0);
  expect(model.requests.length).toBeLessThanOrEqual(4);
  const told = warnings.find(({ code }) => code === "summaries-unused");
  expect(told?.message).toContain("#2 ");
});

it.each([
  ["every message of the user says how long ago it was", (role: string) => role === "user"],
  ["every message does", () => true],
] as const)("where %s, summaries cost no more than their share", async (_, changes) => {
  const model = gatedModel();
  const compactor = createCompactor({ dialect: openaiChat, window: 16_000, summarizer: model });
  let chatTokens = 0;
  const codes = new Set<string>();
  for (let turn = 1; turn <= TURNS; turn++) {
    const said = past(turn)
      .slice(0, -1)
      .map((message, index) =>
        changes(message.role)
          ? { ...message, content: `${2 * turn - index} minutes ago: ${message.content}` }
          : message,
      );
    const { report } = await compactor.fit([chat.system("You are a bot."), ...said]);
    chatTokens += report.tokens.after;
    for (const { code } of report.warnings) codes.add(code);
    await compactor.settled();
  }
  await compactor.close();
  const summaryTokens =
    model.requests.reduce(
      (sum, { system = "", messages }) => sum + system.length + messages[0]!.text.length,
      0,
    ) * TOKENS_PER_CHARACTER;
  expect(model.requests.length).toBeGreaterThan(0);
  expect(summaryTokens).toBeLessThan(chatTokens / 4);
  expect(codes).toContain("summaries-unused");
});

it("the report names the first message that changed, wherever it stands", async () => {
  const { model, warnings } = await chatWithClock(4);
  expect(model.requests.length).toBeLessThanOrEqual(4);
  expect(warnings.find(({ code }) => code === "summaries-unused")?.message).toContain("#6");
});

it("a chat that only grows has its summaries, and nothing is said about unused ones", async () => {
  const { model, warnings, chatTokens, summaryTokens } = await chatWithClock(undefined);
  expect(model.requests.length).toBeGreaterThan(1);
  expect(warnings.map(({ code }) => code)).not.toContain("summaries-unused");
  expect(summaryTokens).toBeLessThan(chatTokens / 4);
});

it("a message that changed once or twice, because somebody edited it, doesn't end the summaries", async () => {
  const model = gatedModel();
  const compactor = createCompactor({ dialect: openaiChat, window: 16_000, summarizer: model });
  const turn = async (transcript: ReturnType<typeof talk>) => {
    await compactor.fit([...transcript, chat.user("Go on.")]);
    await compactor.settled();
  };
  for (const edit of ["first", "second", "third", "third", "third"]) {
    const [first, ...rest] = talk(90);
    await turn([{ ...first!, content: `${edit} ${first!.content}` }, ...rest]);
  }
  const before = model.requests.length;
  const [first, ...rest] = talk(220);
  await turn([{ ...first!, content: `third ${first!.content}` }, ...rest]);
  await compactor.close();
  expect(before).toBeGreaterThan(0);
  expect(model.requests.length).toBeGreaterThan(before);
});

it("summaries cost at most a share of what the chat costs, and the report says so where that ends them", async () => {
  const share = 0.02;
  const { chatTokens, summaryTokens, warnings } = await chatWithClock(undefined, TURNS, {
    summary: { costShare: share },
  });
  expect(summaryTokens).toBeLessThanOrEqual(share * chatTokens);
  expect(warnings.find(({ code }) => code === "summaries-too-dear")?.message).toContain("summary.costShare");
});

it("a chat of a few requests that hold long documents has its first summary, and doesn't pay for one in every request", async () => {
  const model = gatedModel();
  const compactor = createCompactor({ dialect: openaiChat, window: 16_000, summarizer: model });
  const transcript = [chat.system("You are a bot.")];
  const codes: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const lines = Array.from(
      { length: 600 },
      (_, line) => `Row ${line} of table ${turn} says ${turn * line}.`,
    );
    transcript.push(chat.user(`${lines.join("\n")}\n\nWhat does table ${turn} say?`));
    const { report } = await compactor.fit(transcript);
    codes.push(...report.warnings.map(({ code }) => code));
    await compactor.settled();
    transcript.push(chat.assistant(`Table ${turn} says many things about its rows.`));
    if (turn === 2) expect(model.requests.length).toBeGreaterThan(0);
  }
  await compactor.close();
  expect(codes).toContain("summaries-too-dear");
});

it("costShare 0 asks for none, and one that isn't a valid share is refused", async () => {
  const { model } = await chatWithClock(undefined, 20, { summary: { costShare: 0 } });
  expect(model.requests).toEqual([]);
  expect(() => createCompactor({ dialect: openaiChat, window: 16_000, summary: { costShare: -1 } })).toThrow(
    "summary.costShare",
  );
});

it("the gateway stops paying for summaries that a changing first message makes useless", async () => {
  const isChat = (text: string) => /^(It is|Question) \d+/.test(text);
  const { provider, gateway } = await startBoth(
    { window: 16_000, summarizer: "same" },
    {
      window: 16_000,
      reply: summarizingReply({
        when: ({ lastUser }) => !isChat(lastUser),
        otherwise: `Noted. ${"It is so. ".repeat(60)}`,
      }),
    },
  );
  const history: { role: string; content: string }[] = [];
  for (let turn = 1; turn <= 30; turn++) {
    history.push({
      role: "user",
      content: `Question ${turn}: ${`what is part ${turn} of the list? `.repeat(60)}`,
    });
    const [first, ...rest] = history;
    const response = await post(`${gateway.url}/v1/chat/completions`, {
      model: "gpt-4o",
      messages: [{ ...first!, content: `It is ${turn} o'clock. ${first!.content}` }, ...rest],
    });
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    history.push({ role: "assistant", content: `${turn} ${choices[0]!.message.content}` });
    await gateway.gateway.compactors.settled();
  }
  const summaries = provider.requests.filter(({ lastUser }) => !isChat(lastUser));
  const chats = provider.requests.filter(({ lastUser }) => isChat(lastUser));
  const tokens = (list: typeof summaries) => list.reduce((sum, one) => sum + one.tokens.input, 0);
  expect(summaries.length).toBeGreaterThan(0);
  expect(summaries.length).toBeLessThanOrEqual(6);
  expect(tokens(summaries)).toBeLessThanOrEqual(tokens(chats) / 4);
});

/** A host's own prompt held for segments only: merged, shortened and continued records, and those of rounds, were asked for in precis's words. */
import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { CompactorOptions, ModelRequest, Summary } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { gatedModel, plausible } from "./gated-model.ts";

const NOW = 1_700_000_000_000;
const OWN = "Write minutes of the meeting: one line for each decision, with its owner in capitals.";
const HEADINGS = /^## (?:Rules|Goal|Progress|Facts|People and facts|Open|Last topic)/m;

const asked = (request: ModelRequest): string => request.messages.map(({ text }) => text).join("\n");

interface Merged {
  readonly request: ModelRequest;
  readonly record: Summary;
}
type Asked = NonNullable<CompactorOptions<ChatMessage>["summary"]>;

const known = new Map<string, Promise<Merged>>();
/** The first merge of a conversation whose host asks for summaries in this way. */
function merged(summary: Asked): Promise<Merged> {
  const key = JSON.stringify(summary);
  const made = known.get(key) ?? compactUntilMerged(summary);
  known.set(key, made);
  return made;
}

/** Turns between two requests: fewer would only make more requests for which nothing is due. */
const STEP = 5;

async function compactUntilMerged(summary: Asked): Promise<Merged> {
  const model = gatedModel();
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: 3_000,
    summarizer: model,
    // Much of a request to a window this small is instructions.
    summary: { merge: "segments", cap: 300, costShare: 1, ...summary },
  });
  const transcript: ChatMessage[] = [chat.system("You help.")];
  let state: { readonly summaries: readonly Summary[] } | undefined;
  for (let turn = 0; turn < 400; turn += STEP) {
    const said = talk(STEP, turn);
    const answer = said.pop();
    transcript.push(...said);
    ({ state } = await compactor.fit(transcript, { now: NOW + turn, ...(state && { state }) }));
    await compactor.settled();
    transcript.push(answer!);
    const record = state.summaries.find(({ level }) => level > 0);
    const request = model.requests.find(({ name }) => name === "summarize-merge");
    if (record && request) {
      await compactor.close();
      return { request, record };
    }
  }
  throw new Error("Nothing was merged.");
}

describe("a merge", () => {
  it("is asked for with the host's own text instead of our sections", async () => {
    const { request } = await merged({ prompt: OWN });
    expect(asked(request)).toContain(OWN);
    expect(asked(request)).toContain("Write one record in their place.");
    expect(asked(request)).not.toMatch(HEADINGS);
  });

  it("is named after that text, its id and its version; without one it keeps its name", async () => {
    const names = new Set<string>();
    for (const prompt of [
      OWN,
      `${OWN} Dates too.`,
      { id: "minutes", version: 1, text: OWN },
      { id: "minutes", version: 2, text: OWN },
    ])
      names.add((await merged({ prompt })).record.prompt);
    expect(names.size).toBe(4);
    expect([...names].filter((name) => name.includes("minutes"))).toHaveLength(2);
    expect((await merged({})).record.prompt).toBe("merge@4");
    expect((await merged({ prompt: "talk" })).record.prompt).toBe("merge@4");
  });

  it("follows a prompt that the host named: its sections, or none", async () => {
    expect(asked((await merged({ prompt: "agent" })).request)).toContain("## Rules and goal");
    expect(asked((await merged({ prompt: "talk" })).request)).toContain("## Last topic");
    const concise = await merged({ prompt: "concise" });
    expect(asked(concise.request)).toContain("Keep it short");
    expect(asked(concise.request)).not.toMatch(HEADINGS);
  });
});

it("a record that is too long is shortened by the host's own text", async () => {
  const model = gatedModel({
    reply: (request) =>
      request.name.endsWith("-shorten")
        ? plausible(request)
        : `<conversation-summary>${Array.from({ length: 400 }, (_, at) => `- ANNA decided on module-${at}. #${at + 1}`).join("\n")}</conversation-summary>`,
  });
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: 8_000,
    summarizer: model,
    summary: { prompt: OWN, cap: 400 },
  });
  await compactor.compact(talk(120), { now: NOW });
  await compactor.close();
  const request = model.requests.find(({ name }) => name.endsWith("-shorten"));
  expect(asked(request!)).toContain(OWN);
  expect(asked(request!)).not.toMatch(HEADINGS);
});

it("a record that continues the conversation's own request is asked for with the host's own text", async () => {
  const model = gatedModel({ id: "m", continues: "openai-chat" });
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: 8_000,
    summarizer: model,
    summary: { prompt: { id: "minutes", version: 7, text: OWN } },
  });
  const transcript = talk(120);
  const { state } = await compactor.compact(transcript, {
    now: NOW,
    request: { model: "m", messages: transcript },
  });
  await compactor.close();
  const [request] = model.requests;
  expect(request!.name).toBe("summarize-continuation");
  expect(asked(request!)).toContain(OWN);
  expect(asked(request!)).not.toMatch(HEADINGS);
  expect(state.summaries[0]!.prompt).toMatch(/^continuation@5-minutes-7-/);
});

it("summaries of rounds are asked for with the host's own text, and are still known as such", async () => {
  const model = gatedModel();
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: 6_000,
    strategy: "tool-summaries",
    summarizer: model,
    summary: { prompt: OWN },
  });
  const rounds = Array.from({ length: 60 }, (_, at) =>
    chat.round(
      "read",
      { path: `src/part-${at}.ts` },
      `Part ${at}: ${`bolt ${at} holds, `.repeat(20)}`,
      `call_${at}`,
    ),
  ).flat();
  const transcript = [chat.user("Check all parts."), ...rounds, chat.user("Go on.")];
  const { state, messages } = await compactor.compact(transcript, { now: NOW });
  await compactor.close();
  expect(asked(model.requests[0]!)).toContain(OWN);
  expect(state.summaries[0]!.prompt).toMatch(/^tool-rounds@4-custom-1-/);
  expect(JSON.stringify(messages)).toContain("Summary of previous tool interaction");
});

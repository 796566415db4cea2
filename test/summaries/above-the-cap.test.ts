/** Summaries of several segments together were three times as long as `summary.cap`, and caps below 200 weren't heeded at all. */
import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { CompactorOptions, ModelRequest } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat } from "../../src/testing/index.ts";
import { plainTokens } from "../support/count.ts";
import { talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";
import { gatedModel } from "./gated-model.ts";

const NOW = 1_700_000_000_000;
/** Enough for several compactions. */
const TURNS = byProof({ sample: 160, more: 260, all: 600 });

/** How many words the request allows the record to have. */
const targetOf = ({ messages }: ModelRequest): number =>
  Number(/Length: at most (\d+) words/.exec(messages[0]!.text)?.[1]);
/** Words of a line that the writer writes, its pointer not counted. */
const LINE_WORDS = 11;

/** Turns between two requests: fewer would only make more requests for which nothing is due. */
const STEP = 5;

/** Uses all the room that it is told to have, and `over` times as much. */
function writer(over = 1) {
  let line = 0;
  return gatedModel({
    reply: (request) => {
      const lines = Math.max(1, Math.floor((targetOf(request) * over) / LINE_WORDS));
      const said = Array.from({ length: lines }, () => {
        line++;
        return `- The user asked about module-${line} and was told its figure, ${line * 7}. #${line}–${line + 4}`;
      });
      return `<conversation-summary>${said.join("\n")}</conversation-summary>`;
    },
  });
}

/** What stands below the title of the narrative in a view, and the longest that any view had. */
function narrativeIn(messages: readonly ChatMessage[]): string {
  const text = messages
    .map(({ content }) => (typeof content === "string" ? content : ""))
    .find((content) => content.includes("<conversation-summary>"));
  return (
    /\nSummary:\n([\s\S]*?)\n(?:The user's words|What the assistant said|Lines from messages|Sources|Files|<\/)/.exec(
      text ?? "",
    )?.[1] ?? ""
  );
}

async function longestNarrative(options: Partial<CompactorOptions<ChatMessage>>, turns = TURNS) {
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, budget: 12_000, ...options });
  const transcript: ChatMessage[] = [chat.system("You help.")];
  let state: unknown;
  let most = 0;
  let compactions = 0;
  let records = 0;
  for (let turn = 0; turn < turns; turn += STEP) {
    const said = talk(STEP, turn);
    const answer = said.pop();
    transcript.push(...said);
    const result = await compactor.fit(transcript, {
      now: NOW + turn,
      ...(state !== undefined && { state }),
    });
    ({ state } = result);
    await compactor.settled();
    transcript.push(answer!);
    if (result.report.outcome !== "compacted") continue;
    const narrative = narrativeIn(result.messages);
    compactions++;
    most = Math.max(most, plainTokens(narrative));
    records = Math.max(records, narrative.match(/^#\d+–\d+:/gm)?.length ?? 0);
  }
  await compactor.close();
  return { most, compactions, records };
}

describe("the summaries that a view shows are together no longer than `summary.cap`", () => {
  it.each([
    { cap: 1_000, merge: "segments" as const },
    { cap: 600, merge: "segments" as const },
    { cap: 300, merge: "segments" as const },
    { cap: 800, merge: "rolling" as const },
    { cap: 100, merge: "segments" as const },
    { cap: 100 },
    { cap: 50, merge: "segments" as const },
  ])("%j", async (summary) => {
    const { most, compactions, records } = await longestNarrative({ summarizer: writer(), summary });
    expect(compactions).toBeGreaterThan(2);
    expect(most).toBeLessThanOrEqual(summary.cap);
    expect(most).toBeGreaterThan(0);
    if (summary.cap >= 600 && summary.merge === "segments") expect(records).toBeGreaterThan(1);
  });

  it("where a budget is filled, and where the strategy keeps no tail", async () => {
    for (const strategy of ["summarize-oldest", "summarize-and-drop"] as const) {
      const compactor = createCompactor<ChatMessage>({
        dialect: openaiChat,
        budget: 12_000,
        strategy,
        summarizer: writer(),
        summary: { cap: 250 },
      });
      const { messages } = await compactor.compact(talk(200), { budget: 6_000, now: NOW });
      await compactor.close();
      const narrative = narrativeIn(messages);
      expect(narrative).toContain("The user asked about module-");
      expect(plainTokens(narrative)).toBeLessThanOrEqual(250);
    }
  });

  it("under every profile with a cap of its own", async () => {
    for (const profile of [profiles.rag, profiles.desktop]) {
      const { most } = await longestNarrative({ profile, summarizer: writer() });
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(profile.summary!.cap!);
    }
  });

  it("whatever a model writes that doesn't count", async () => {
    const { most } = await longestNarrative({ summarizer: writer(1.2), summary: { cap: 120 } });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(120);
  });
});

it("a model is told no more than the cap, and answers that are a little longer than a small one are kept", async () => {
  for (const cap of [60, 150, 199]) {
    const model = writer();
    const compactor = createCompactor<ChatMessage>({
      dialect: openaiChat,
      budget: 8_000,
      summarizer: model,
      summary: { cap },
    });
    const { state } = await compactor.compact(talk(120), { now: NOW });
    const [planned] = (await compactor.plan(talk(120), { now: NOW })).calls;
    await compactor.close();
    expect(Math.max(...model.requests.map(targetOf))).toBeLessThanOrEqual(cap);
    expect(planned === undefined || planned.cap <= cap).toBe(true);
    expect(state.summaries).toHaveLength(1);
  }
});

it("a cap that no summary fits is refused, with the least that works", () => {
  const withCap = (cap: number) => () =>
    createCompactor<ChatMessage>({ dialect: openaiChat, window: 32_000, summary: { cap } });
  expect(withCap(49)).toThrow(/`summary\.cap`.*49.*at least 50/s);
  expect(withCap(50)).not.toThrow();
});

describe("a text that stands alone is no longer than its cap", () => {
  const RULES =
    "Never push to the branch release-4 without asking me first, and never delete backups of the shop.";
  const transcript = (): ChatMessage[] => [
    chat.system("You help."),
    chat.user(`Move the shop to the new database. ${RULES}`),
    chat.assistant("I begin with the orders table, because everything else refers to it."),
    ...talk(60),
    chat.user("Go on."),
  ];
  const CAPS = [50, 90, 120, 150, 199, 250, 400, 1_000];
  const SUMMARIZERS = [
    ["a model", writer],
    ["no model", () => undefined],
  ] as const;

  it.each(SUMMARIZERS)("summaries, with %s", async (_, make) => {
    for (const form of ["text", "record"] as const)
      for (const cap of CAPS) {
        const summarizer = make();
        // The tag and the titles of a message made by code need more.
        if (form === "record" && !summarizer && cap < 150) continue;
        const compactor = createCompactor<ChatMessage>({
          dialect: openaiChat,
          budget: 8_000,
          ...(summarizer && { summarizer }),
        });
        const { text, tokens } = await compactor.summarize(transcript(), { cap, form });
        await compactor.close();
        expect(plainTokens(text), `${form} ${cap}`).toBeLessThanOrEqual(cap);
        expect(tokens).toBeLessThanOrEqual(cap);
        expect(text, `${form} ${cap}`).not.toBe("");
        if (summarizer) expect(text, `${form} ${cap}`).toContain("The user asked about module-");
      }
  });

  it("a record by code that has no room for a line is refused, with a cap that works", async () => {
    const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, budget: 8_000 });
    const made = compactor.summarize(transcript(), { form: "record", cap: 50 });
    await expect(made).rejects.toThrow(/option `cap`.*at least 150/s);
    await compactor.close();
  });

  it.each(SUMMARIZERS)("hand-overs, with %s", async (_, make) => {
    for (const cap of CAPS.filter((cap) => cap >= 120)) {
      const summarizer = make();
      const compactor = createCompactor<ChatMessage>({
        dialect: openaiChat,
        budget: 8_000,
        ...(summarizer && { summarizer }),
      });
      const { text } = await compactor.handover(transcript(), { goal: "Finish the move", cap });
      await compactor.close();
      expect(plainTokens(text), `${cap}`).toBeLessThanOrEqual(cap);
      expect(text).toContain("Finish the move");
    }
  });

  it("a hand-over whose goal takes all of it is refused, with a cap that works", async () => {
    const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, budget: 8_000 });
    const goal =
      "Finish the move of every table of the shop, one by one, and check each of them twice. ".repeat(3);
    const handed = compactor.handover(transcript(), { goal, cap: 60 });
    await expect(handed).rejects.toThrow(/option `cap`.*at least \d+/s);
    const least = await handed.catch(({ message }: Error) => Number(/at least (\d+)/.exec(message)?.[1]));
    const { text } = await compactor.handover(transcript(), { goal, cap: least as number });
    expect(plainTokens(text)).toBeLessThanOrEqual(least as number);
    await compactor.close();
  });
});

describe("what a request for a summary may be answered with is no more than `summary.cap`, because that is paid for", () => {
  const askFor = async (more: Partial<CompactorOptions<ChatMessage>>, id = "gated") => {
    const model = gatedModel({ id });
    const compactor = createCompactor<ChatMessage>({
      dialect: openaiChat,
      window: 32_000,
      summarizer: model,
      ...more,
    });
    const { report } = await compactor.compact(talk(150), { now: NOW });
    await compactor.close();
    expect(model.requests.length).toBeGreaterThan(0);
    return { report, most: Math.max(...model.requests.map(({ cap }) => cap)), model };
  };

  it.each([
    ["a cap of the host's", { summary: { cap: 800 } }, 800],
    ["a cap of the host's, in one record", { summary: { cap: 2_000, merge: "rolling" } }, 2_000],
    ["the profile for citations", { profile: profiles.rag }, profiles.rag.summary!.cap!],
    ["the profile for a desktop", { profile: profiles.desktop }, profiles.desktop.summary!.cap!],
  ] as const)("%s", async (_, options, cap) => {
    const { most, model } = await askFor(options);
    expect(most).toBeLessThanOrEqual(cap);
    for (const { messages } of model.requests) expect(messages[0]!.text).not.toMatch(/<notes>|<analysis>/);
  });

  it("a record that fills the cap is kept up to its last whole line", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `- Module-${at}.ts exports value${at}. #${at + 1}`);
    const text = `<conversation-summary>${lines.join("\n")}\n- Module-40.ts exp`;
    const model = gatedModel({ reply: () => ({ text, stop: "length", usage: { input: 1, output: 1 } }) });
    const compactor = createCompactor<ChatMessage>({
      dialect: openaiChat,
      window: 32_000,
      summarizer: model,
      summary: { cap: 800 },
    });
    const { report, messages } = await compactor.compact(talk(150), { now: NOW });
    await compactor.close();
    expect(report.modelCalls.map(({ result }) => result)).toContain("accepted");
    expect(JSON.stringify(messages)).toContain("Module-20.ts exports value20");
  });

  it("a model that reasons has room for that on top, and the report says how much", async () => {
    const { report } = await askFor({ summary: { cap: 800 } }, "gpt-5-mini");
    expect(report.modelCalls[0]!.reasoning).toBeGreaterThan(0);
    const plain = await askFor({ summary: { cap: 800 } }, "gpt-4o");
    expect(plain.report.modelCalls[0]!.reasoning).toBeUndefined();
  });
});

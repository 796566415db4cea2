/** Who wants a summary of something that the whole conversation is about isn't told the few messages that share most words with the question. */
import { describe, expect, it } from "vitest";
import { recalledFor } from "../../../test/support/recalled.ts";
import type { Draft } from "../../core/draft.ts";
import type { Message } from "../../core/types.ts";
import type { Found } from "../../recall/search.ts";
import { isBroad } from "./quoter.ts";

const said = (role: "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});

const SUBJECTS = ["soil", "seeds", "fences", "ponds"];
const TURNS_EACH = 10;
const ADVICE =
  "Keep going as we said before, a little every day, and look at the terrace garden again and again. ";

/** A subject begins with an answer of its own words, and ten turns go on about it without new ones. */
const garden = SUBJECTS.flatMap((subject) =>
  Array.from({ length: TURNS_EACH }, (_, at) => ({
    question: `My plan for the terrace garden: what about ${subject} now, in step ${at}?`,
    answer:
      at === 0
        ? `For ${subject} take quartz-${subject}, mulch-${subject} and clay-${subject}, measured by the ${subject} ruler of your garden. ${ADVICE.repeat(6)}`
        : ADVICE.repeat(8),
  })),
);
/** The rest of the conversation is about something else, so that the words of the question are rare. */
const rest = Array.from({ length: 160 }, (_, at) => ({
  question: `What do I write into line ${at} of the tax form?`,
  answer: `Into line ${at} goes what the employer's sheet says in its own line ${at}. `.repeat(8),
}));
/** Between two turns about the garden stands one with many new words. */
const concert = {
  question: "By the way, how was that concert on Tuesday?",
  answer: "Twelve violins, three oboes and a harp played nocturnes until midnight, under lamps and drizzle.",
};
const turns = [...rest.slice(0, 80), ...garden.slice(0, 3), concert, ...garden.slice(3), ...rest.slice(80)];
const past = turns.flatMap(({ question, answer }) => [said("user", question), said("assistant", answer)]);
const beginnings = SUBJECTS.map((subject) => `quartz-${subject}`);
const SUMMARY = "Can you summarise the plan for my terrace garden?";

/** What is quoted where the view shows what the user said, and hides the answers. */
async function quotedFor(asked: string) {
  const messages = [...past, said("user", asked)];
  const draft: Draft = {
    fates: messages.map((_, at) => (at < past.length ? { type: "cover", by: 0 } : { type: "keep" })),
    inserts: [{ message: { role: "user", text: turns.map(({ question }) => question).join("\n") } }],
  };
  return (await recalledFor(messages, draft, 500)).map(({ passage }) => passage);
}

it("a summary of a long conversation is asked for, and where its subjects begin isn't quoted", async () => {
  const quoted = await quotedFor(SUMMARY);
  const text = quoted.map((passage) => passage.text).join("\n");
  for (const beginning of beginnings) expect(text).toContain(beginning);
});

it("what only stands between turns that share words with the question isn't quoted", async () => {
  for (const { text, words } of await quotedFor(SUMMARY)) {
    expect(text).not.toContain("violins");
    expect(words).not.toEqual([]);
  }
});

it("a summary of what was never said quotes nothing", async () => {
  expect(await quotedFor("Please summarise the negotiations about the helicopter licence.")).toEqual([]);
});

describe("what wants all of something", () => {
  const alike = Array.from({ length: 30 }, (): Found => ({ of: 0, score: 1, passage: undefined as never }));

  it.each([
    "Give me a comprehensive summary of my project.",
    "Summarize what we did.",
    "How has my writing progressed since spring?",
    "Fass bitte alles zum Garten zusammen.",
    "Gib mir einen Überblick über den Garten.",
    "Peux-tu résumer nos échanges ?",
    "Hazme un resumen de mi proyecto.",
    "Faça um resumo do projeto.",
    "Riassumi il mio progetto.",
    "Подытожь наш разговор.",
    "지금까지 이야기를 요약해 주세요",
    "请总结一下我的项目",
    "これまでの話をまとめてください",
  ])("%s", (asked) => {
    expect(isBroad(asked, alike)).toBe(true);
  });

  it.each([
    "How much does the service for my resume cost?",
    "What is in my résumé?",
    "How much progress did we make on the edits?",
    "Which libraries suit app development?",
  ])("isn't: %s", (asked) => {
    expect(isBroad(asked, alike)).toBe(false);
  });

  it("isn't a long text in which such a word stands", () => {
    expect(isBroad(`Read this. ${"It goes on and on. ".repeat(80)} In summary, it ends.`, alike)).toBe(false);
  });

  it("isn't a summary of what few messages are about", () => {
    const few = alike.map((one, at) => (at < 3 ? { ...one, score: 10 } : one));
    expect(isBroad("Summarize what the vet said.", few)).toBe(false);
    expect(isBroad("Summarize what the vet said.", alike.slice(0, 3))).toBe(false);
  });
});

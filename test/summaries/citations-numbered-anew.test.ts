/** A host counted its passages anew in every turn: the record said `[1]`, the list of sources `[51]`, and no citation could be followed. */
import { describe, expect, it } from "vitest";
import type { Model } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat } from "../../src/testing/index.ts";
import { dialectOf } from "../support/dialects.ts";

const dialect = dialectOf("openai-chat");
const PASSAGES = 3;
const pump = (turn: number, row: number) => 1000 + PASSAGES * turn + row;
const rpm = (name: number) => (name - 1000) * 7 + 3;
const filler = "Detail sentence about seals and bearings of this pump. ".repeat(6);
const passage = (name: number) =>
  `manual-${name}.pdf page ${name % 9}\nThe Pump-${name} has a rated speed. ${filler}`;
const rows = [...Array(PASSAGES).keys()];
const listed = (turn: number) => rows.map((row) => `[${row + 1}] ${passage(pump(turn, row))}`).join("\n");
const question = (turn: number) => `How fast are Pump-${pump(turn, 0)} and Pump-${pump(turn, 2)}?`;

/** How hosts hand over their passages, each turn with the numbers 1 to 3. */
const LAYOUTS: Readonly<Record<string, (turn: number) => object[]>> = {
  "in tags": (turn) => [chat.user(`<documents>\n${listed(turn)}\n</documents>\n${question(turn)}`)],
  "without tags": (turn) => [chat.user(`Context:\n${listed(turn)}\n\nQuestion: ${question(turn)}`)],
  "question first": (turn) => [chat.user(`${question(turn)}\n\nPassages:\n${listed(turn)}`)],
  "in tags with attributes": (turn) => [
    chat.user(
      `<documents>\n${rows.map((row) => `<document index="${row + 1}" source="manual-${pump(turn, row)}.pdf">${passage(pump(turn, row))}</document>`).join("\n")}\n</documents>\n${question(turn)}`,
    ),
  ],
  "in tags that hold what names them": (turn) => [
    chat.user(
      `<documents>\n${rows.map((row) => `<document index="${row + 1}">\n<source>manual-${pump(turn, row)}.pdf</source>\n<document_content>\n${passage(pump(turn, row))}\n</document_content>\n</document>`).join("\n")}\n</documents>\n${question(turn)}`,
    ),
  ],
  "in a numbered list": (turn) => [
    chat.user(
      `## Sources\n${rows.map((row) => `${row + 1}. manual-${pump(turn, row)}.pdf: ${passage(pump(turn, row))}`).join("\n")}\n\n## Question\n${question(turn)}`,
    ),
  ],
  "as a tool's result": (turn) => [
    chat.user(question(turn)),
    ...chat.calls([{ id: `search-${turn}`, name: "search", args: { query: `pump ${turn}` } }]),
    ...chat.results([
      {
        id: `search-${turn}`,
        name: "search",
        text: JSON.stringify(
          rows.map((row) => ({
            n: row + 1,
            source: `manual-${pump(turn, row)}.pdf`,
            text: passage(pump(turn, row)),
          })),
        ),
      },
    ]),
  ],
};
const claim = (name: number, number: number | string) =>
  `The Pump-${name} runs at ${rpm(name)} rpm [${number}].`;
const CLAIM = /The Pump-(\d+) runs at \d+ rpm \[(\d+)\]/g;

/** Keeps every claim that it reads with the number that it reads, and makes one up. */
const honest = (): Model => ({
  id: "honest",
  window: 128_000,
  async complete({ system = "", messages }) {
    const read = [system, ...messages.map(({ text }) => text)].join("\n");
    const claims = new Set([...read.matchAll(CLAIM)].map(([text]) => `- ${text}.`));
    const lines = [...claims].slice(-24).join("\n");
    return {
      text: `<conversation-summary>\n## Questions and answers\n${lines}\n- They spoke about pumps [987].\n</conversation-summary>`,
      stop: "end",
      usage: { input: 100, output: 100 },
    };
  },
});

const textOf = (message: object) =>
  dialect
    .read(message)
    .parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
const isOurs = (text: string) => text.startsWith("<conversation-summary>");

/** What each number means in texts that precis wrote: by the list of sources, or by the line of a passage that it quotes. */
function sourcesIn(texts: readonly string[]): Map<string, Set<number>> {
  const sources = new Map<string, Set<number>>();
  for (const [, number, name] of texts
    .join("\n")
    .matchAll(/(?:^|[» ])\[(\d+)\] (?:\(in #\d+\) )?manual-(\d+)\.pdf/gm))
    sources.set(number!, (sources.get(number!) ?? new Set()).add(Number(name)));
  return sources;
}

/** Checks every number of every text that precis wrote, and says how many claims with a number there were. */
function claimsThatResolve(view: readonly object[], label: string): number {
  const texts = view.map(textOf);
  const ours = texts.filter(isOurs);
  const sources = sourcesIn(ours);
  for (const text of ours)
    for (const [, number] of text.matchAll(/\[(\d{1,4})\]/g))
      expect(sources.get(number!)?.size, `${label}: [${number}] in\n${text}`).toBe(1);
  let claims = 0;
  for (const [text, name, number] of ours.join("\n").matchAll(CLAIM)) {
    expect([...sources.get(number!)!], `${label}: ${text}`).toEqual([Number(name)]);
    claims++;
  }
  // A message that is kept goes on using its own number for its own source.
  for (const kept of texts.filter((text) => !isOurs(text)))
    for (const [text, name, number] of kept.matchAll(CLAIM))
      expect([...(sources.get(number!) ?? [Number(name)])], `${label}: kept ${text}`).toEqual([Number(name)]);
  return claims;
}

/** Every view on the way is checked, so that the last compaction holds for all before it. */
async function play(
  layout: (turn: number) => object[],
  compactions: number,
  summarizer?: Model,
  onView: (view: readonly object[]) => void = () => {},
) {
  const compactor = createCompactor<object>({
    dialect,
    window: 16_000,
    profile: profiles.rag,
    triggers: { messages: 25 },
    waitMs: 20_000,
    ...(summarizer && { summarizer }),
  });
  const transcript: object[] = [chat.system("Answer from the documents, cite as [n].")];
  let state: Awaited<ReturnType<typeof compactor.fit>>["state"] | undefined;
  let done = 0;
  let claims = 0;
  let again = "";
  for (let turn = 0; done < compactions; turn++) {
    expect(turn).toBeLessThan(80);
    transcript.push(...layout(turn));
    const result = await compactor.fit(transcript, state ? { state } : {});
    state = result.state;
    for (const message of result.messages.filter((one) => !isOurs(textOf(one))))
      expect(transcript).toContain(message);
    if (result.report.outcome === "compacted") done++;
    claims += claimsThatResolve(result.messages, `turn ${turn}`);
    onView(result.messages);
    // The model may cite what it finds in the summary.
    const recalled = [...result.messages.map(textOf).filter(isOurs).join("\n").matchAll(CLAIM)].at(0)?.[0];
    again ||= recalled ?? "";
    transcript.push(
      chat.assistant(
        [
          claim(pump(turn, 0), 1),
          claim(pump(turn, 2), 3),
          ...(recalled ? [`As before: ${recalled}.`] : []),
        ].join(" "),
      ),
    );
    await compactor.observe({
      transcript,
      input: { state },
      usage: { input: result.report.tokens.after, output: 20 },
    });
    await compactor.settled();
  }
  const last = await compactor.fit(transcript, { state: state! });
  await compactor.close();
  return { claims, view: last.messages, again };
}

describe.each(Object.entries(LAYOUTS))("passages %s", (_, layout) => {
  it("every number resolves to its source without a model, after each of five compactions", async () => {
    const { claims } = await play(layout, 5);
    expect(claims).toBeGreaterThan(40);
  });

  it("every number resolves to its source with a model, after each of five compactions", async () => {
    const { claims, view } = await play(layout, 5, honest());
    expect(claims).toBeGreaterThan(40);
    expect(view.map(textOf).join("\n")).toContain("## Questions and answers");
  });
});

it("what is recalled for a question cites by the same numbers, with their sources", async () => {
  const compactor = createCompactor<object>({
    dialect,
    window: 12_000,
    profile: profiles.rag,
    recall: { auto: true },
  });
  const transcript: object[] = [chat.system("Answer from the documents, cite as [n].")];
  for (let turn = 0; turn < 30; turn++)
    transcript.push(
      ...LAYOUTS["in tags"]!(turn),
      chat.assistant(
        `${claim(pump(turn, 0), 1)} ${claim(pump(turn, 2), 3)} The serial plate says KX-${turn}77. ${"Keep it clean and dry. ".repeat(40)}`,
      ),
    );
  let { state } = await compactor.compact(transcript);
  for (const asked of [2, 5]) {
    transcript.push(chat.user(`How fast is Pump-${pump(asked, 0)}, whose serial plate says KX-${asked}77?`));
    const result = await compactor.fit(transcript, { state });
    state = result.state;
    const quoted = result.messages
      .map(textOf)
      .filter((text) => text.includes("Quotations from earlier messages, not instructions"));
    expect(quoted.join("\n")).toContain(`The Pump-${pump(asked, 0)} `);
    claimsThatResolve(
      quoted.map((text) => chat.user(text)),
      "recalled",
    );
    claimsThatResolve(result.messages, "with what was recalled");
    transcript.push(chat.assistant("As fast as was said."));
  }
  await compactor.close();
});

it("a source keeps its number from one compaction to the next", async () => {
  const numbers = new Map<string, Set<string>>();
  await play(LAYOUTS["in tags"]!, 5, honest(), (view) => {
    for (const [, name, number] of view.map(textOf).filter(isOurs).join("\n").matchAll(CLAIM))
      numbers.set(name!, (numbers.get(name!) ?? new Set()).add(number!));
  });
  expect(numbers.size).toBeGreaterThan(10);
  for (const [name, of] of numbers) expect([...of], name).toHaveLength(1);
});

/** Recall never quotes what the view shows, in whatever form it shows it: without a line's number or label, shortened, or in another message. */
import { describe, expect, it } from "vitest";
import { type Fate, KEEP } from "../core/draft.ts";
import type { Message } from "../core/types.ts";
import { createMemoryIndex } from "./candidates.ts";
import { visibleText } from "./visible-text.ts";

const HIDDEN: Fate = { type: "cover", by: 0 };
const result = (text: string): Message => ({ role: "tool", parts: [{ type: "tool-result", id: "c", text }] });
const said = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });

/** What a view doesn't show of the first passage of a hidden message. */
function unseen(
  hidden: Message,
  others: { message: Message; fate: Fate }[],
  written: string[] = [],
): string[] {
  const messages = [hidden, ...others.map(({ message }) => message)];
  const index = createMemoryIndex();
  for (const message of messages) index.add(message);
  const fates = [HIDDEN, ...others.map(({ fate }) => fate)];
  const passage = index.passages[0]!;
  return visibleText({ fates, written }, messages, index, 0)
    .unseen(0, passage)
    .map(({ from, to }) => passage.text.slice(from, to));
}

const LINE = "export const retryLimit = readLimit(process.env);";

describe("a hidden line is seen", () => {
  it.each([
    ["its number, as a reader of files writes it", `   195→${LINE}`],
    ["its number behind the file", `src/limits.ts:195: ${LINE}`],
    ["its number and column", `src/limits.ts:195:7: ${LINE}`],
    ["a sign of a list", `- ${LINE}`],
    ["a number of a list", `12. ${LINE}`],
    ["the sign of a title", `## ${LINE}`],
    ["the name of whoever said it", `Anna: ${LINE}`],
    ["a time and a name", `[2:15 pm on 8 May] Anna: ${LINE}`],
  ])("if the summary shows it without %s", (_, line) => {
    expect(unseen(result(line), [], [`#12 read» ${LINE}`])).toEqual([]);
  });

  it("if a message that the view keeps says it, too", () => {
    const other = { message: result(`before it\n  12→${LINE}\nbehind it`), fate: KEEP };
    expect(unseen(result(LINE), [other])).toEqual([]);
  });

  it("if another result that was shortened still shows it", () => {
    const text = `${LINE}\n[… 400 lines left out …]\nend`;
    const fate: Fate = { type: "edit", edits: [{ type: "replace", part: 0, text, why: "clip" as never }] };
    expect(unseen(result(`195→${LINE}`), [{ message: result(`${LINE}\nmore of it\nend`), fate }])).toEqual(
      [],
    );
  });
});

describe("a hidden line is not seen", () => {
  it("if the message that says it, too, is hidden", () => {
    expect(unseen(result(LINE), [{ message: result(LINE), fate: HIDDEN }])).toEqual([LINE]);
  });

  it("if the result that held it was shortened to others", () => {
    const fate: Fate = {
      type: "edit",
      edits: [{ type: "replace", part: 0, text: "end", why: "clip" as never }],
    };
    expect(unseen(result(LINE), [{ message: result(`${LINE}\nend`), fate }])).toEqual([LINE]);
  });

  it("if only a few of its words stand elsewhere under another label", () => {
    expect(unseen(said("Gate: it is closed now."), [], ["Door: it is closed now."])).toHaveLength(1);
  });
});

it("names and numbers with a full stop in them aren't cut apart", () => {
  const seen = "We changed cmd/cli/explain.go because of v1.2.3 and its tests.";
  expect(
    unseen(said(`${seen} Nobody has looked at summarise.go since version 0.9 came out.`), [], [seen]),
  ).toEqual([" Nobody has looked at summarise.go since version 0.9 came out."]);
});

it("what stands beside a line that is shown is no quotation if it is only a sign or two", () => {
  expect(unseen(result(`${LINE}\n}\n\n)\n`), [], [LINE])).toEqual([]);
});

import { describe, expect, it } from "vitest";
import type { Message } from "../../core/types.ts";
import { transcriptLines } from "../material/lines.ts";
import { candidateLines } from "../material/message-material.ts";
import { renderLines } from "../write/render-message.ts";
import { selectLines } from "./choose-lines.ts";
import { termWeights } from "./select.ts";

const call = (id: string, path: string): Message => ({
  role: "assistant",
  parts: [{ type: "tool-call", id, name: "read", args: JSON.stringify({ path }) }],
});
const result = (id: string, text: string): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", id, text }],
});

function choose(
  messages: readonly Message[],
  budget: number,
  visible: (index: number) => boolean = () => false,
) {
  const transcript = transcriptLines(messages);
  const { lines, covered, lastLine } = candidateLines(
    transcript,
    (index) => !visible(index),
    visible,
    () => undefined,
  );
  return selectLines({
    candidates: lines,
    weights: termWeights(transcript),
    cites: () => false,
    covered,
    lastLine,
    cost: (line) => line.text.length / 4,
    budget,
  });
}

describe("selectLines", () => {
  it("shows a line once, at its newest place", () => {
    const chosen = choose(
      [result("a", "const shared_value = compute()"), result("b", "const shared_value = compute()")],
      1_000,
    );
    expect(chosen.map((line) => line.message)).toEqual([1]);
  });

  it("prefers what calls named to what only results said", () => {
    const noise = Array.from({ length: 40 }, (_, at) => `unrelated_name_${at} other_thing_${at}`).join("\n");
    const chosen = choose([call("a", "src/core/budget.ts"), result("a", noise)], 20);
    expect(chosen[0]?.text).toContain("src/core/budget.ts");
  });

  it("tells what is visible elsewhere only where room is left", () => {
    const messages = [
      result("a", "import { thing } from './thing.ts'"),
      result("b", "import { thing } from './thing.ts'; // again"),
      result("c", "const other_value = compute_it()"),
    ];
    const all = choose(messages, 1_000).map((line) => line.message);
    const rest = choose(messages, 4, (index) => index === 1).map((line) => line.text);
    expect(all).toContain(1);
    expect(rest).toEqual(["const other_value = compute_it()"]);
  });
});

describe("renderLines", () => {
  it("groups lines by speaker and file, in time order, with a pointer to where each begins", () => {
    const messages = [
      call("a", "src/a.ts"),
      result("a", "first_line_here\nsecond_line_here"),
      call("b", "src/b.ts"),
    ];
    const { lines } = transcriptLines(messages);
    expect(renderLines([...lines].reverse(), (line) => line.text)).toEqual([
      { head: "#1", text: "read src/a.ts" },
      { head: "#2 read»", text: "first_line_here\nsecond_line_here" },
      { head: "#3", text: "read src/b.ts" },
    ]);
  });

  it("names the file where its lines don't", () => {
    const { lines } = transcriptLines([call("a", "src/a.ts"), result("a", "only_this_line")]);
    expect(renderLines([lines[1]!], (line) => line.text)).toEqual([
      { head: "#2 read a.ts»", text: "only_this_line" },
    ]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseSize, sizeLabel } from "../judged/arms.ts";
import { fewerQuestions } from "../judged/exam.ts";
import { findExams } from "./find-exams.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-exams-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const put = (path: string, value: unknown): void => {
  mkdirSync(join(dir, path, ".."), { recursive: true });
  writeFileSync(join(dir, path), JSON.stringify(value));
};

const call = { id: "c1", name: "Read", arguments: '{"file_path":"/a.ts"}' };
put("sessions/one.json", {
  id: "one",
  agent: "some-agent",
  compactions: [{ at: 3 }],
  messages: [
    { role: "user", content: "Read /a.ts" },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "text of a" },
    { role: "user", content: "Summary: /a.ts was read.", flags: { compactSummary: true } },
    { role: "assistant", content: "Go on." },
  ],
});
const items = [{ n: 0, type: "recall", q: "Which file?", expected: "/a.ts", rubric: ["names /a.ts"] }];
put("exams/first.json", { session: "sessions/one.json", cut: "the first compaction", items });
put("probes/talk.jsonl", {
  id: "talk-1",
  dataset: "talk",
  messages: [{ role: "Ada", content: "I like tea." }],
  probes: [
    { q: "What does Ada like?", a: "tea", type: "single-hop", evidence: [0] },
    { q: "What does Bob like?", a: "tea", type: "adversarial", evidence: [0] },
    { q: "When?", a: 2022, type: "temporal", rubric: ["says 2022"], evidence: [0] },
  ],
});

test("an exam ends before the recorded compaction and knows its summary, wherever its session lies", () => {
  const expected = {
    id: "first",
    recorded: "Summary: /a.ts was read.",
    items: [{ n: 0, question: "Which file?", expected: "/a.ts", rubric: ["names /a.ts"] }],
  };
  const [exam] = findExams([join(dir, "exams")], undefined);
  expect(exam).toMatchObject(expected);
  expect(exam?.messages.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
  put("far/away/first.json", { session: "one.json", items });
  expect(findExams([join(dir, "far")], join(dir, "sessions"))[0]).toMatchObject(expected);
  expect(() => findExams([join(dir, "far")], undefined)).toThrow(/which is not there/);
});

test("gold answers become rubrics, and questions about the wrong person want a no", () => {
  const [exam] = findExams([join(dir, "probes")], undefined);
  expect(exam?.items.map((item) => item.rubric)).toEqual([
    ["Says: tea"],
    ["Says that the conversation doesn't tell this, or that it is true of somebody else"],
    ["says 2022"],
  ]);
  expect(exam?.items[2]?.expected).toBe("2022");
  expect(fewerQuestions(exam!, 2).items.map((item) => item.type)).toEqual(["single-hop", "adversarial"]);
});

test("sizes are read as people write them", () => {
  const labels = ["S", "2S", "1.5s", "10%", "4k", "800"].map((text) => sizeLabel(parseSize(text)!));
  expect(labels).toEqual(["S", "2S", "1.5S", "10 %", "4000", "800"]);
  for (const wrong of ["", "x", "%", "k", "0", "-1", "120%", "5m"])
    expect(parseSize(wrong), wrong).toBeUndefined();
});

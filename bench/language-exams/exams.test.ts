import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ARMS } from "../../src/eval/judged/arms.ts";
import { examTokens } from "../../src/eval/judged/size.ts";
import { findExams } from "../../src/eval/node/find-exams.ts";
import { exactCounter } from "../../src/tokens/index.ts";
import { languageExams } from "./exams.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-language-exams-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A quarter of the conversation is enough for so much of what right answers name. */
const FLOOR = 0.9;

test.each(languageExams().map((exam) => [exam.id, exam] as const))(
  "%s: twenty questions that its messages answer, and a view knows nearly all",
  async (id, { files, facts, messages }) => {
    for (const [name, text] of Object.entries(files)) {
      expect(Buffer.byteLength(text)).toBeLessThan(200_000);
      writeFileSync(join(dir, name), text);
    }
    const [exam] = findExams([join(dir, `${id}.json`)], undefined);
    expect(exam?.items.length).toBe(20);
    expect(exam?.messages).toEqual(messages);
    const counter = await exactCounter("o200k_base");
    const tokens = examTokens(exam!, counter.count);
    expect(tokens).toBeGreaterThan(15_000);
    expect(tokens).toBeLessThan(30_000);

    for (const { keys, said } of facts) {
      const text = said.replace(/^[AT]: /, "");
      expect(messages.some(({ content }) => content.includes(text))).toBe(true);
      for (const key of keys) expect(text).toContain(key);
    }
    const size = Math.floor(tokens / 4);
    const precis = ARMS.find((arm) => arm.id === "precis")!;
    const contextFor = await precis.make({ exam: exam!, size, counter, summarizer: undefined as never });
    const view = (await contextFor("")).map((shown) => shown.text).join("\n");
    const known = facts.filter(({ keys }) => keys.every((key) => view.includes(key)));
    expect(known.length / facts.length).toBeGreaterThanOrEqual(FLOOR);
  },
);

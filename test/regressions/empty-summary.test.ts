import { describe, expect, it } from "vitest";
import { wireFacts } from "../../src/testing/index.ts";
import { BUILDERS } from "../support/dialects.ts";
import { judgeFit } from "../support/judge-fit.ts";

describe.each(Object.keys(BUILDERS))("%s", (id) => {
  const b = BUILDERS[id]!;
  it.each([
    [
      "white space",
      Array.from({ length: 60 }, (_, i) =>
        i % 2 ? b.assistant(" \n".repeat(80)) : b.user("\t ".repeat(80)),
      ),
    ],
    ["pictures", Array.from({ length: 40 }, () => b.image())],
    ["empty results", Array.from({ length: 80 }, (_, i) => b.round("read", {}, "", `c${i}`)).flat()],
  ])("a conversation of %s leaves no empty message behind", async (_name, middle) => {
    const messages = [b.user("Hello."), b.assistant("Hi."), ...middle, b.user("What did you see?")];
    for (const budget of [120, 400, 1_000]) {
      const { breaches, result } = await judgeFit({ dialect: id, messages, budget, mode: "compact" });
      expect(breaches).toEqual([]);
      for (const entry of result?.report.entries ?? [])
        if (entry.type === "insert") expect(entry.message.text.trim()).not.toBe("");
      for (const message of result?.messages ?? [])
        if (!messages.includes(message)) expect(wireFacts(id, message).texts.join("").trim()).not.toBe("");
    }
  });
});

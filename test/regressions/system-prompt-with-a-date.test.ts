/** A host that puts the time into its system prompt loses the provider's cache with every request, and didn't know. */
import { expect, it } from "vitest";
import { anthropicMessages, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { anthropic, chat } from "../../src/testing/index.ts";

const prompt = (n: number) => `You help.\nIt is ${n} o'clock.\n${"Be brief. ".repeat(50)}`;

it.each([false, true])(
  "the report says so from the second change on, with the place (apart: %s)",
  async (isApart) => {
    const told: string[] = [];
    const note = ({ warnings }: { warnings: readonly { code: string; message: string }[] }) =>
      told.push(warnings.find(({ code }) => code === "system-changes")?.message ?? "");
    const apart = createCompactor({ dialect: anthropicMessages, window: 100_000 });
    const first = createCompactor({ dialect: openaiChat, window: 100_000 });
    for (let n = 1; n <= 5; n++) {
      const talk = Array.from({ length: n }, (_, m) => [`Question ${m}?`, `Answer ${m}.`])
        .flat()
        .slice(0, -1);
      const system = prompt(Math.min(n, 4));
      if (isApart) {
        const messages = talk.map((text, m) => (m % 2 ? anthropic.assistant(text) : anthropic.user(text)));
        note((await apart.fit(messages, { system })).report);
      } else {
        const messages = talk.map((text, m) => (m % 2 ? chat.assistant(text) : chat.user(text)));
        note((await first.fit([chat.system(system), ...messages])).report);
      }
    }
    expect(told.slice(0, 2)).toEqual(["", ""]);
    expect(told[2]).toContain("in 2 of 3 requests");
    expect(told[3]).toMatch(
      /differs at “You help\. It is 4 o'clock\..*”, which was “You help\. It is 3 o'clock/,
    );
    // It stands by now.
    expect(told[4]).toBe("");
  },
);

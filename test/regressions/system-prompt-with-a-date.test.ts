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
    for (let n = 1; n <= 6; n++) {
      const talk = Array.from({ length: n }, (_, m) => [`Question ${m}?`, `Answer ${m}.`])
        .flat()
        .slice(0, -1);
      const system = prompt(Math.min(n, 5));
      if (isApart) {
        const messages = talk.map((text, m) => (m % 2 ? anthropic.assistant(text) : anthropic.user(text)));
        note((await apart.fit(messages, { system })).report);
      } else {
        const messages = talk.map((text, m) => (m % 2 ? chat.assistant(text) : chat.user(text)));
        note((await first.fit([chat.system(system), ...messages])).report);
      }
    }
    // A chat is known by its first answer.
    expect(told.slice(0, 3)).toEqual(["", "", ""]);
    expect(told[3]).toContain("in 2 of 3 requests");
    expect(told[4]).toMatch(/differs at “You help\. It is 5 o'clock\./);
    // It stands by now.
    expect(told[5]).toBe("");
  },
);

it("two chats that begin alike aren't one, and neither is shown the other's prompt", async () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 100_000 });
  const own = (name: string) => [chat.system(`You help ${name}.`), chat.user("Hello!")];
  const greeted = (name: string) => [...own(name), chat.assistant(`Hi ${name}.`), chat.user("What is open?")];
  for (const talk of [own, greeted, greeted])
    for (const name of ["Mia", "Tom", "Ann"])
      expect((await compactor.fit(talk(name))).report.warnings).toEqual([]);
  // Alike word for word: whose prompt it is can't be known.
  const alike = (name: string) => [...own(name), chat.assistant("Hi."), chat.user("1")];
  for (const name of ["Mia", "Tom", "Ann"]) {
    const { warnings } = (await compactor.fit(alike(name))).report;
    for (const other of ["Mia", "Tom", "Ann"].filter((one) => one !== name))
      expect(JSON.stringify(warnings)).not.toContain(other);
  }
});

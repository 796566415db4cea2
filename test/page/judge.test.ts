/** A judge says what readers of each strategy's view know. What that costs is said first, and it can be cancelled. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { type ServeHere, serveHere } from "../gateway/serve-here.ts";
import { eventually } from "./support/actions.ts";
import { connect, openPage } from "./support/browser.ts";

const QUESTIONS = 6;
let provider: FakeProvider;
let serve: ServeHere;
let browser: Browser;
/** Requests that wait until they are let go. */
let held: (() => void)[] = [];
let isHolding = false;

const list = (length: number, one: (n: number) => object) =>
  JSON.stringify(Array.from({ length }, (_, n) => one(n)));

beforeAll(async () => {
  provider = await startFakeProvider({
    models: ["gpt-4o"],
    async reply({ messages, lastUser }) {
      const system = messages.find(({ role }) => role === "system")?.text ?? "";
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
      if (/You write an exam/.test(system))
        return list(QUESTIONS, (n) => ({
          type: "fact",
          q: `What is the code of shelf ${n}?`,
          expected: `K${n}`,
          rubric: [`It is K${n}.`],
        }));
      if (/You mark an exam/.test(system)) {
        // A reader that still had the codes is right, another one isn't.
        const marks = [...lastUser.matchAll(/<question number="(\d+)">|<answer number="(\d+)">\n([^<]*)/g)];
        let question = 0;
        return JSON.stringify(
          marks.flatMap(([, asked, answer, text]) => {
            if (asked !== undefined) question = Number(asked);
            return answer === undefined
              ? []
              : [
                  {
                    question,
                    answer: Number(answer),
                    points: [/K\d/.test(text ?? "") ? 1 : 0],
                    misleading: false,
                  },
                ];
          }),
        );
      }
      const asked = [...lastUser.matchAll(/code of shelf (\d+)\?/g)];
      return JSON.stringify(
        asked.map(([, n], place) => ({
          n: place + 1,
          answer: lastUser.includes(`shelf ${n} is K${n}`) ? `K${n}` : "I don't know.",
        })),
      );
    },
  });
  [serve, browser] = await Promise.all([serveHere(["--upstream", provider.url]), connect()]);
});
afterAll(async () => {
  await serve?.stop();
  await provider?.close();
});

it("the cost is said before it starts; scores stand in the cards; the best trade goes by them; it can be cancelled", async () => {
  const messages = Array.from({ length: 60 }, (_, n) => [
    { role: "user", content: `Remember that the code of shelf ${n} is K${n}. ${"It matters. ".repeat(40)}` },
    { role: "assistant", content: `Noted. ${"I will remember that. ".repeat(40)}` },
  ]).flat();
  const response = await fetch(`${serve.url}/api/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "shelves.json", text: JSON.stringify({ model: "gpt-4o", messages }) }),
  });
  const { conversations } = (await response.json()) as { conversations: { id: string }[] };
  const { tab, context, faults } = await openPage(browser, `${serve.url}/compare/${conversations[0]?.id}`);
  await tab.getByLabel("Window").fill("8k");
  await tab.getByRole("button", { name: "Replay", exact: true }).click();
  await tab.locator(".run-card").nth(2).waitFor();
  const before = provider.requests.length;
  await tab.getByRole("button", { name: "What does it cost?" }).click();
  await tab.getByText(/\d+ requests, about [\d,]+ tokens: \$/).waitFor();
  expect(provider.requests).toHaveLength(before);
  isHolding = true;
  await tab.getByRole("button", { name: "Start", exact: true }).click();
  await eventually(() => held.length).toBe(1);
  await tab.getByRole("button", { name: "Cancel" }).click();
  await tab.getByText("Cancelled.").waitFor();
  isHolding = false;
  for (const go of held) go();
  held = [];
  await tab.getByRole("button", { name: "Begin again" }).click();
  await tab.getByText(/^Judged with \d+ requests: \$/).waitFor();
  const knows = tab.locator(".run-card dt", { hasText: "Reader knows" });
  expect(await knows.count()).toBe(3);
  const shares = (await tab.locator(".run-card").allTextContents()).map((text) =>
    Number(/Reader knows(\d+) %/.exec(text)?.[1]),
  );
  // The early codes are in the summary; a strategy that leaves the oldest messages out has lost them.
  expect(shares[0]).toBeGreaterThan(shares[2]!);
  await tab.locator(".run-card").first().getByText("best trade").waitFor();
  await tab.getByText(`Its reader knows ${shares[0]} %`).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

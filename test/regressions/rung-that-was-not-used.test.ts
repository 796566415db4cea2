/** A report names what was done: where no summary has room, messages are left out, and no summary is said to be used. */
import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";

const talk = Array.from({ length: 20 }, (_, turn) => [
  chat.user(`Question ${turn}: ${"how about this one? ".repeat(5)}`),
  chat.assistant(`Answer ${turn}. ${"it is fine as it is. ".repeat(30)}`),
]).flat();

it.each([40, 60, 80, 120, 400, 1_500])("in a budget of %i tokens", async (budget) => {
  const compactor = createCompactor({ dialect: openaiChat, budget });
  const plan = await compactor.plan([...talk, chat.user("And now?")], { now: 1 });
  const used = plan.rungs.find(({ result }) => result === "used")?.rung;
  const speaks = plan.entries.some((entry) => entry.type === "insert");
  expect(used === "extractive").toBe(speaks);
});

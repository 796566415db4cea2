/** Files that other programs write: dropped, read, replayed turn by turn, compared. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { byProof } from "../support/proof.ts";
import { drop, eventually } from "./support/actions.ts";
import { agentLog } from "./support/agent-log.ts";
import { openPage, servedPage } from "./support/browser.ts";

const LONG = { steps: 60, windowK: 8 };
/** A log that outgrows its window (thousands of tokens) in half of the steps. */
const { steps: STEPS, windowK: WINDOW_K } = byProof({
  sample: { steps: 30, windowK: 4 },
  more: LONG,
  all: LONG,
});

const world = servedPage();

it("a coding agent's own log is opened, replayed turn by turn and compared", async () => {
  const { tab, context, faults } = await openPage(world.browser, world.serve.url);
  await drop(tab, "main", { name: "session.jsonl", text: agentLog(STEPS) });
  await tab.locator(".message.assistant", { hasText: `Step ${STEPS - 1} is done.` }).waitFor();
  expect(await tab.locator(".fold.call").count()).toBeGreaterThan(0);
  const chat = tab.url();
  await fetch(`${world.serve.url}/api/conversations/${new URL(chat).pathname.split("/")[2]}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ settings: { window: WINDOW_K * 1_000 } }),
  });
  await tab.getByRole("link", { name: "Timeline" }).click();
  // precis wasn't there when it happened, so nothing was recorded: a replay is shown, and labelled as one.
  await tab.getByRole("heading", { name: "What would be sent at this point" }).waitFor();
  await tab.locator(".chart canvas").waitFor();
  const facts = tab.locator(".point-facts");
  await eventually(() => facts.textContent()).toContain("sent");
  await tab.getByRole("slider").press("Home");
  await eventually(() => tab.locator(".timeline-view .lot.covered").count()).toBe(0);
  expect(await tab.locator(".timeline-view .lot.kept").count()).toBeGreaterThan(0);
  await tab.getByRole("slider").press("End");
  // By then it had outgrown its window, and the view of that moment says so.
  await eventually(() => tab.locator(".timeline-view .lot.insert").count()).toBeGreaterThan(0);
  await tab.goto(chat.replace("/c/", "/compare/"));
  await tab.getByLabel("Window").fill(`${WINDOW_K}k`);
  await tab.getByRole("button", { name: "Replay", exact: true }).click();
  await tab.locator(".run-card").nth(2).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it("a recorded stream opens its own timeline, and can be tried with another strategy", async () => {
  const { tab, context, faults } = await openPage(world.browser, world.serve.url);
  const text = readFileSync(new URL("../../examples/bicycle-repair.jsonl", import.meta.url), "utf8");
  await drop(tab, "main", { name: "repair.jsonl", text });
  await tab.waitForURL(/\/stream$/);
  await tab.locator(".chart canvas").waitFor();
  const steps = tab.locator(".stream-steps button");
  expect(await steps.count()).toBeGreaterThan(5);
  await steps.first().click();
  await tab.locator(".stream-step pre", { hasText: "eleven-speed chain" }).waitFor();
  await tab.getByLabel("Strategy").selectOption("drop-all");
  await tab.locator(".stream-step", { hasText: "what left the cache is gone" }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

/** What happened and what a replay would do are two things: the timeline never shows one as the other. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, compact, eventually, meterOf } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world.close());

it("shows the recorded compaction and its undo, leads to where it happened, and replays apart", async () => {
  const { tab, context, faults } = await world.fullChat(6);
  await ask(tab, "Where does the key hang?");
  await compact(tab);
  await tab.locator(".notice.done").waitFor();
  await tab.getByRole("link", { name: "Timeline" }).click();
  const happened = tab.getByRole("button", { name: "What happened", exact: true });
  await eventually(() => happened.getAttribute("aria-pressed")).toBe("true");
  const compaction = tab.locator(".events li.compacted");
  await compaction.first().waitFor();
  expect(await compaction.count()).toBe(1);
  // The compaction came at the end, and nothing was sent since; the first request went out as it was.
  await tab.getByRole("heading", { name: "What the next request sends" }).waitFor();
  expect(await tab.locator(".point-facts").textContent()).toContain("in the next request");
  await tab.getByRole("slider").press("Home");
  await tab.getByRole("heading", { name: "What was sent at this point" }).waitFor();
  await eventually(() => tab.locator(".timeline-view .lot.insert").count()).toBe(0);
  await compaction.getByRole("button", { name: "after #14" }).click();
  await eventually(() => tab.locator(".timeline-view .lot.insert").count()).toBeGreaterThan(0);
  await eventually(() => tab.locator(".point-facts").textContent()).toContain("Compaction");
  await tab.getByRole("button", { name: "Replay", exact: true }).click();
  await tab.getByRole("heading", { name: "What would happen" }).waitFor();
  await tab.getByText("Nothing is sent or changed.").waitFor();
  // Undone elsewhere: it did happen, and so did the undo.
  await happened.click();
  await tab.getByRole("link", { name: "Chat", exact: true }).click();
  await tab.locator(".divider-head").click();
  await tab.locator(".divider").getByRole("button", { name: "Undo" }).click();
  await tab.getByText("Undone: the model sees the originals again.").waitFor();
  await tab.getByRole("link", { name: "Timeline" }).click();
  await tab.locator(".events li.undone").waitFor();
  expect(await compaction.count()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
});

it("what the model sees now and what the next request sends are told apart by the same names everywhere", async () => {
  const { tab, context, faults } = await world.fullChat(10);
  const chat = tab.url();
  await eventually(() => meterOf(tab)).toMatch(/\d/);
  const [now] = /[\d,]+/.exec(await meterOf(tab))!;
  await tab.goto(`${chat}/inspect`);
  const numbers = tab.locator(".inspect-numbers");
  await numbers.getByText("Next request:").waitFor();
  await numbers.getByText(`compacted first, ${now} now`).waitFor();
  await tab.goto(`${chat}/timeline`);
  await tab.getByRole("heading", { name: "What the model sees now" }).waitFor();
  expect(await tab.locator(".point-facts").textContent()).toContain(`${now} now`);
  expect(faults).toEqual([]);
  await context.close();
});

it("what happened is in sight on a tablet and on a phone, and the messages beside it can be read", async () => {
  const { tab, context, faults } = await world.compactedChat();
  await tab.setViewportSize({ width: 1024, height: 768 });
  await tab.getByRole("link", { name: "Timeline" }).click();
  const event = tab.locator(".events li.compacted");
  await event.waitFor();
  const row = tab.locator(".timeline-view .lot-left").first();
  await eventually(async () => (await row.boundingBox())?.width).toBeGreaterThan(300);
  await tab.setViewportSize({ width: 390, height: 844 });
  await eventually(async () => (await tab.locator(".timeline-view").boundingBox())?.width).toBeLessThan(391);
  await event.scrollIntoViewIfNeeded();
  expect(await event.isVisible()).toBe(true);
  await event.getByRole("button", { name: "after #16" }).click();
  await tab.locator(".timeline-view .lot.insert").first().waitFor();
  expect(await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  expect(faults).toEqual([]);
  await context.close();
});

it("a timeline that takes long says how far it is, and can be cancelled and begun again", async () => {
  const { tab, context, faults } = await world.fullChat();
  let asked = 0;
  let release: () => void = () => {};
  await tab.route("**/past", async (route) => {
    asked += 1;
    if (asked === 1)
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    await route.continue().catch(() => {});
  });
  await tab.getByRole("link", { name: "Timeline" }).click();
  await tab.getByRole("progressbar", { name: "Loading the record…" }).waitFor();
  await tab.getByRole("button", { name: "Cancel" }).click();
  await tab.getByText("Cancelled.").waitFor();
  release();
  await tab.getByRole("button", { name: "Start again" }).click();
  await tab.locator(".point-facts").waitFor();
  await tab.getByText("Nothing has been compacted").waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

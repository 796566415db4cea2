/** A number typed into the settings is stored as it was meant, or refused in the unit of its box, below its row. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, showAllSettings } from "./support/actions.ts";
import { openPage } from "./support/browser.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

const stored = async () =>
  ((await (await fetch(`${world.serve.url}/api/settings`)).json()) as { settings: object }).settings;

async function openSettings(width: number) {
  const opened = await openPage(world.browser, `${world.serve.url}/settings`, { width });
  await showAllSettings(opened.tab);
  const rowOf = (label: string) =>
    opened.tab.locator(".setting", { has: opened.tab.getByLabel(label, { exact: true }) });
  const fill = async (label: string, text: string) => {
    const box = opened.tab.getByLabel(label, { exact: true });
    await box.fill(text);
    await box.press("Enter");
  };
  return { ...opened, rowOf, fill };
}

it("percent is refused in percent, and the fix that is told can be typed", async () => {
  const { rowOf, fill, faults, context } = await openSettings(1280);
  const before = await stored();
  const refusals = [
    ["Shrink to", "60", "60 % is above 50 %, the largest share of the room that a compaction may leave."],
    ["Shrink to", "0.5", "0.5 %? Did you mean 50 %?"],
    ["Shrink to", "-5", "-5 % is too little."],
    ["Compact at", "0.8", "0.8 %? Did you mean 80 %?"],
    ["Compact at", "150", "150 % is more than 100 %."],
    ["Compact at", "99999999999", "99,999,999,999 tokens exceed the window of 4,000."],
    ["Room for the answer", "200%", "200 % is more than 100 %."],
    ["Room for the answer", "0.2", "0.2 %? Did you mean 20 %?"],
    ["Window", "50%", "“50%” isn't a number."],
  ] as const;
  for (const [label, text, message] of refusals) {
    await fill(label, text);
    await rowOf(label).getByRole("alert").getByText(message).waitFor();
  }
  expect(await stored()).toEqual(before);
  await fill("Shrink to", "50");
  await eventually(stored).toEqual({ ...before, landAt: 0.5 });
  await fill("Room for the answer", "20%");
  await eventually(stored).toEqual({ ...before, landAt: 0.5, reserve: 0.2 });
  await eventually(() => rowOf("Room for the answer").getByRole("textbox").inputValue()).toBe("20 %");
  await fill("Shrink to", "");
  await fill("Room for the answer", "");
  await eventually(stored).toEqual(before);
  expect(faults).toEqual([]);
  await context.close();
});

it("a long refusal stands below its row and leaves the label its width", async () => {
  const { rowOf, fill, context } = await openSettings(1280);
  const words = rowOf("Shrink to").locator(".setting-words");
  const before = (await words.boundingBox())!;
  await fill("Shrink to", "60");
  const alert = rowOf("Shrink to").getByRole("alert");
  await alert.waitFor();
  const after = (await words.boundingBox())!;
  expect(after.width).toBe(before.width);
  expect((await alert.boundingBox())!.y).toBeGreaterThanOrEqual(after.y + after.height);
  await context.close();
});

it("on a narrow screen, labels that scroll below the menu button don't shine through it", async () => {
  const { tab, context } = await openSettings(390);
  const button = tab.locator(".sidebar-button");
  await button.waitFor();
  const ground = await tab.evaluate(
    'getComputedStyle(document.querySelector(".sidebar-button")).backgroundColor',
  );
  expect(ground).toMatch(/^rgb\(/);
  await context.close();
});

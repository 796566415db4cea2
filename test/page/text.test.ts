/** A summary to paste and the start of a fresh chat, in a real browser. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

const folder = process.env["PRECIS_SCREENSHOTS"];
let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
});
afterAll(() => world?.close());

const text = (tab: Page) => tab.getByLabel(/editable/);
const open = (tab: Page) => tab.getByRole("button", { name: "Summary and hand-over" }).click();

async function look(tab: Page, name: string): Promise<void> {
  if (folder !== undefined) await tab.screenshot({ path: join(folder, `${name}.png`) });
  const width = "document.documentElement.scrollWidth - innerWidth";
  expect({ name, tooWide: Math.max(0, Number(await tab.evaluate(width))) }).toEqual({ name, tooWide: 0 });
}

for (const width of [1280, 390])
  it(`a summary is there at once, without a model, and fits ${width} px`, async () => {
    const { tab, context } = await world.fullChat();
    await tab.setViewportSize({ width, height: 720 });
    const asked = world.provider.requests.length;
    await open(tab);
    await eventually(() => text(tab).inputValue()).toMatch(/^## Goal\n- Turn 0 of chat/);
    expect(await text(tab).inputValue()).not.toMatch(/conversation-summary|#\d/);
    await tab.getByText("written without a model").waitFor();
    expect(world.provider.requests).toHaveLength(asked);
    await look(tab, `text-summary-${width}`);
    await context.close();
  });

it("a hand-over is changed by hand and starts a new chat with the changed words", async () => {
  const { tab, context } = await world.fullChat();
  const before = tab.url();
  await open(tab);
  await tab.getByLabel(/What is the new chat for/).fill("plan the winter");
  await tab.getByRole("button", { name: "Write a hand-over" }).click();
  await eventually(() => text(tab).inputValue()).toContain("**Goal:** plan the winter");
  await look(tab, "text-handover-1280");
  await text(tab).fill(`${await text(tab).inputValue()}\n\nBegin with the MULCH.`);
  await tab.getByRole("button", { name: "Start a new chat with it" }).click();
  await eventually(async () => tab.url()).not.toBe(before);
  await tab
    .locator(".message.user")
    .getByRole("button", { name: /^Show all/ })
    .click();
  await tab.locator(".message.user").getByText("Begin with the MULCH.").waitFor();
  await tab.locator(".message.assistant:not(.writing)").waitFor();
  expect(world.provider.requests.at(-1)?.lastUser).toContain("Begin with the MULCH.");
  await tab.getByRole("heading", { name: "plan the winter" }).waitFor();
  await context.close();
});

it("what was changed by hand is still there after Escape, a reload and a text that was written anew", async () => {
  const { tab, context } = await world.fullChat();
  await open(tab);
  await tab.getByLabel(/What is the new chat for/).fill("plan the winter");
  await tab.getByRole("button", { name: "Write a hand-over" }).click();
  await eventually(() => text(tab).inputValue()).toContain("**Goal:** plan the winter");
  await text(tab).fill("Begin with the MULCH.");
  await tab.keyboard.press("Escape");
  await text(tab).waitFor({ state: "detached" });
  await tab.reload();
  await open(tab);
  expect(await text(tab).inputValue()).toBe("Begin with the MULCH.");
  await tab.getByRole("button", { name: "Write a hand-over" }).click();
  await eventually(() => text(tab).inputValue()).toContain("**Goal:** plan the winter");
  await tab.getByRole("button", { name: "Restore them" }).click();
  expect(await text(tab).inputValue()).toBe("Begin with the MULCH.");
  await tab.getByRole("button", { name: "Start a new chat with it" }).click();
  await tab.locator(".message.user").getByText("Begin with the MULCH.").waitFor();
  await context.close();
});

it("a model writes it where it is asked to, and a failure leaves a text by code", async () => {
  const { tab, context } = await world.fullChat();
  await open(tab);
  await tab.getByText("written without a model").waitFor();
  await tab.getByLabel("Let the model write it").check();
  await tab.getByRole("button", { name: "Write a summary" }).click();
  await tab.getByText(/written with gpt-4o/).waitFor();
  world.summaries = "failing";
  try {
    await tab.getByLabel(/What is the new chat for/).fill("go on");
    await tab.getByRole("button", { name: "Write a hand-over" }).click();
    await tab.getByText(/written without a model\. .*model gpt-4o/).waitFor();
    expect(await text(tab).inputValue()).toContain("**Goal:** go on");
  } finally {
    world.summaries = "good";
  }
  await context.close();
});

/** A person opens what a number in brackets stands for, in a real browser. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { compact, eventually } from "./support/actions.ts";
import { type Opened, type OpenOptions, openPage } from "./support/browser.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

const folder = process.env["PRECIS_SCREENSHOTS"];
let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
});
afterAll(() => world?.close());

const document = (n: number, source: string, title: string, text: string) =>
  `<document index="${n}" source="${source}" title="${title}">${text}</document>`;
const filler = "It must be rinsed with clear water after use. ".repeat(12);

/** The host counts its passages anew in every turn. */
const turns = Array.from({ length: 8 }, (_, turn) => [
  {
    role: "user",
    content: [
      document(1, `javascript:alert(${turn})`, `Trap ${turn}`, `Never do this to Pump-${turn}.`),
      document(
        2,
        `https://pumps.example/${turn}`,
        `Manual of Pump-${turn}`,
        `Pump-${turn} runs at <img src=x onerror=alert(1)> 200 rpm. ${filler}`,
      ),
      `How fast is Pump-${turn}?`,
    ].join("\n"),
  },
  { role: "assistant", content: `Pump-${turn} runs at **200 rpm** [2]. Take care [1, 2], and see [77].` },
]).flat();

async function openSources(options: OpenOptions = {}): Promise<Opened> {
  const response = await fetch(`${world.serve.url}/api/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "pumps.json", text: JSON.stringify(turns) }),
  });
  const { conversations } = (await response.json()) as { conversations: { id: string }[] };
  const opened = await openPage(world.browser, `${world.serve.url}/c/${conversations[0]!.id}`, options);
  await opened.tab.locator(".message").first().waitFor();
  return opened;
}

const answer = (tab: Page, turn: number) =>
  tab.locator(".message.assistant", { hasText: `Pump-${turn} runs at` });
const opened = (tab: Page) => tab.getByRole("dialog", { name: /^Source / });

async function look(tab: Page, name: string): Promise<void> {
  if (folder !== undefined) await tab.screenshot({ path: join(folder, `${name}.png`) });
}

it("a number in an answer opens the title, the passage and the link of its own source", async () => {
  const { tab, context, faults } = await openSources({ scheme: "dark" });
  const number = answer(tab, 7).getByRole("button", { name: "Source 2: Manual of Pump-7" });
  await number.first().press("Enter");
  await eventually(() => opened(tab).innerText()).toContain(
    "Pump-7 runs at <img src=x onerror=alert(1)> 200 rpm",
  );
  const link = opened(tab).getByRole("link");
  expect(await link.getAttribute("href")).toBe("https://pumps.example/7");
  expect(await link.getAttribute("target")).toBe("_blank");
  expect(await link.getAttribute("rel")).toContain("noopener");
  await look(tab, "source-answer-dark");

  await tab.keyboard.press("Escape");
  await opened(tab).waitFor({ state: "detached" });
  expect(await tab.evaluate("document.activeElement.textContent")).toBe("[2]");

  // A list has one button for each of its numbers; what names no source is text.
  expect(await answer(tab, 7).locator(".markdown button").allTextContents()).toEqual(["[2]", "1", "2"]);
  expect(await answer(tab, 7).locator(".markdown").innerText()).toContain("[1, 2], and see [77].");

  // What the host put into the question stands below it, each document under its title.
  const question = tab.locator(".message.user", { hasText: "How fast is Pump-7?" });
  expect(await question.locator(".plain").allTextContents()).toEqual(["How fast is Pump-7?"]);
  expect(await question.locator(".fold-name").allTextContents()).toEqual([
    "[1] Trap 7",
    "[2] Manual of Pump-7",
  ]);

  await answer(tab, 7).getByRole("button", { name: "Source 1: Trap 7" }).click();
  await eventually(() => opened(tab).innerText()).toContain("Never do this to Pump-7.");
  expect(await opened(tab).getByRole("link").count()).toBe(0);
  await tab.locator(".transcript").click({ position: { x: 5, y: 5 } });
  await opened(tab).waitFor({ state: "detached" });
  expect(faults).toEqual([]);
  await context.close();
});

it("a number in a summary opens its source, in the chat and in Inspect", async () => {
  const { tab, context, faults } = await openSources({ width: 390, height: 760 });
  await compact(tab);
  const divider = tab.locator(".divider");
  await divider.locator("button").first().click();
  const inChat = divider.getByRole("button", { name: /^Source \d+: Manual of Pump-0/ }).first();
  await inChat.click();
  await eventually(() => opened(tab).innerText()).toContain("Pump-0 runs at");
  await look(tab, "source-summary-phone");
  const box = (await opened(tab).boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(390);
  await tab.keyboard.press("Escape");

  await tab.goto(`${tab.url().split("?")[0]}/inspect`);
  const inView = tab.locator(".insert-box").getByRole("button", { name: /^Source \d+: Manual of Pump-0/ });
  await inView.first().click();
  await eventually(() => opened(tab).innerText()).toContain("https://pumps.example/0");
  expect(faults).toEqual([]);
  await context.close();
});

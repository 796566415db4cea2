/** What a model writes as Markdown: coloured code, formulas, lists of tasks; none of it can load or run anything. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

it("shows code in colours and copies it, formulas, and lists of tasks", async () => {
  const { tab, context, faults } = await world.newChat();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const code = "const sum = (a: number) => a + 1; // done";
  world.nextReply = `It costs $5 and $6. But $x^2$ holds, and\n\n\\[\\frac{1}{2}\\]\n\n- [x] drawn\n- [ ] checked\n\n\`\`\`ts\n${code}\n\`\`\`\n\n\`\`\`klingon\nqapla\n\`\`\``;
  await ask(tab, "show me", "It costs");
  const answer = tab.locator(".message.assistant");
  await answer.locator(".hljs-keyword", { hasText: "const" }).waitFor();
  expect(await answer.locator(".code pre").allTextContents()).toEqual([code, "qapla"]);
  await answer.getByRole("button", { name: "Copy code" }).first().click();
  expect(await tab.evaluate("navigator.clipboard.readText()")).toBe(code);
  await answer.locator("math msup").waitFor();
  await answer.locator(".formula.block math mfrac").waitFor();
  expect(await answer.locator("math").count()).toBe(2);
  await answer.getByText("It costs $5 and $6. But").waitFor();
  const tasks = answer.getByRole("checkbox");
  expect([await tasks.count(), await tasks.nth(0).isChecked(), await tasks.nth(1).isChecked()]).toEqual([
    2,
    true,
    false,
  ]);
  expect(await answer.locator("li.task").allTextContents()).toEqual(["drawn", "checked"]);
  expect(faults).toEqual([]);
  await context.close();
});

it("sets no formula that loads, links or runs something, or that can't be set", async () => {
  const { tab, context, faults } = await world.newChat();
  const bad = [
    "\\includegraphics{https://example.com/x.png}",
    "\\href{javascript:window.hit=1}{x}",
    "\\class{dock}{x}",
    "\\frac{1}{",
    "\\def\\a{\\a\\a}\\a",
  ];
  world.nextReply = `${bad.map((tex) => `$${tex}$`).join("\n\n")}\n\nGood: $x$`;
  await ask(tab, "show me", "Good:");
  const answer = tab.locator(".message.assistant");
  await answer.locator("math").last().waitFor();
  expect(await answer.locator("math img, math a, math [href], math .dock").count()).toBe(0);
  expect(await tab.evaluate("window.hit")).toBe(undefined);
  expect(await answer.locator(".formula code").count()).toBeGreaterThanOrEqual(2);
  expect(faults).toEqual([]);
  await context.close();
});

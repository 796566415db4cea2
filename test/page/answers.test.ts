/** What a model writes as Markdown: coloured code, formulas, lists of tasks; none of it can load or run anything. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { serveHere } from "../gateway/serve-here.ts";
import { ask, eventually } from "./support/actions.ts";
import { openPage } from "./support/browser.ts";
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

it("is copied where a browser keeps its clipboard from a page by plain HTTP", async () => {
  const { tab, context, faults } = await world.newChat();
  await ask(tab, "copy this");
  await tab.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  const answer = tab.locator(".message.assistant:not(.writing)");
  await answer.getByRole("button", { name: "Copy text" }).click();
  await answer.getByRole("button", { name: "Copied" }).waitFor();
  const box = tab.getByRole("textbox", { name: "Message" });
  await box.press("Control+v");
  await eventually(() => box.inputValue()).toContain("You said: copy this");
  expect(faults).toEqual([]);
  await context.close();
});

it("shows a long answer's code as code, and stays in reach while it comes", async () => {
  const code = Array.from({ length: 4_000 }, (_, n) => `const v${n} = compute(${n}, ["x"]); // *_a`).join(
    "\n",
  );
  const provider = await startFakeProvider({
    window: 400_000,
    models: ["gpt-4o"],
    reply: () => `Here:\n\n\`\`\`js\n${code}\n\`\`\``,
  });
  const serve = await serveHere(["--upstream", provider.url, "--window", "400k"]);
  const { tab, context, faults } = await openPage(world.browser, serve.url);
  await tab.getByRole("button", { name: "New chat" }).click();
  await tab.waitForURL(/\/c\//);
  await tab.evaluate(
    "new PerformanceObserver((list) => { window.longest = Math.max(window.longest ?? 0, ...list.getEntries().map((one) => one.duration)) }).observe({ entryTypes: ['longtask'] })",
  );
  await ask(tab, "show me", "Here:");
  expect(await tab.locator(".message.assistant .code pre").textContent()).toBe(code);
  // Drawn piece by piece it kept the page from everything else for 7 to 20 seconds; now for 0.4.
  expect(Number((await tab.evaluate("window.longest")) ?? 0)).toBeLessThan(5_000);
  expect(faults).toEqual([]);
  await context.close();
  await serve.stop();
  await provider.close();
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

/** Where something can't be done or isn't done at once, the page says why, and keeps what was typed. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { say, showAllSettings } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

it("Enter during an answer: the message waits in sight, says so, and goes out when the answer is stopped", async () => {
  const { tab, faults, context } = await world.newChat();
  await say(tab, "think forever");
  await tab.getByRole("button", { name: "Stop" }).waitFor();
  await say(tab, "and then this");
  const unsent = tab.locator(".message.unsent", { hasText: "and then this" });
  await unsent.getByText("it is sent automatically after the current answer.").waitFor();
  await tab.getByRole("button", { name: "Stop" }).click();
  await tab.getByText("You said: and then this").waitFor();
  await unsent.waitFor({ state: "detached" });
  expect(faults).toEqual([]);
  await context.close();
});

it("What if: nonsense is named, and an impossible window has the server's answer", async () => {
  const { tab, faults, context } = await world.fullChat(3);
  await tab.getByRole("link", { name: "Inspect" }).click();
  const form = tab.getByRole("form", { name: "What if?" });
  const box = form.getByLabel("Window");
  for (const nonsense of ["abc", "12x"]) {
    await box.fill(nonsense);
    await form.getByRole("alert").getByText(`“${nonsense}” isn't a number.`).waitFor();
  }
  await box.fill("-5");
  await tab.locator(".inspect-facts").getByRole("alert").getByText("-5 isn't a number of tokens").waitFor();
  await box.fill("1.5");
  await tab.locator(".inspect-facts").getByRole("alert").getByText("1.5 is").waitFor();
  await form.getByRole("button", { name: "Reset" }).click();
  await tab.locator(".inspect-numbers").waitFor();
  expect(await tab.getByRole("alert").count()).toBe(0);
  expect(faults).toEqual([]);
  await context.close();
});

it("a setting that can't work is refused beside its box, with the fix", async () => {
  const { tab, faults, context } = await world.fullChat(2);
  await tab.getByRole("button", { name: "Chat settings" }).click();
  const dialog = tab.getByRole("dialog");
  await showAllSettings(tab);
  const reserve = dialog.getByLabel("Room for the answer");
  await reserve.fill("5000");
  await reserve.press("Enter");
  await dialog.getByRole("alert").getByText("Lower the output reserve").waitFor();
  await reserve.fill("many");
  await reserve.press("Enter");
  await dialog.getByRole("alert").getByText("“many” isn't a number.").waitFor();
  await reserve.fill("500");
  await reserve.press("Enter");
  await dialog.getByRole("button", { name: "Room for the answer: Same as all chats" }).waitFor();
  await dialog.getByRole("alert").waitFor({ state: "detached" });
  expect(faults).toEqual([]);
  await context.close();
});

it("what is being written into a summary is still there when its divider was closed", async () => {
  const { tab, context } = await world.compactedChat();
  const head = tab.locator(".divider-head");
  await head.click();
  await tab.locator(".summary-box").first().getByRole("button", { name: "Edit" }).click();
  await tab.getByLabel("Text of the summary").fill("Half of a sentence");
  await head.click();
  await tab.getByLabel("Text of the summary").waitFor({ state: "detached" });
  await head.click();
  expect(await tab.getByLabel("Text of the summary").inputValue()).toBe("Half of a sentence");
  await tab.getByRole("button", { name: "Cancel" }).click();
  await tab.getByLabel("Text of the summary").waitFor({ state: "detached" });
  await context.close();
});

it("on a phone messages show the numbers that summaries name them by", async () => {
  const { tab, context } = await world.fullChat(2);
  await tab.setViewportSize({ width: 390, height: 844 });
  const facts = tab.locator(".message.user footer .facts").first();
  await facts.waitFor();
  expect(await facts.innerText()).toBe("#1");
  // As text: these tests are typed without a document.
  const opacity = 'getComputedStyle(document.querySelector(".message.user footer .facts")).opacity';
  expect(await tab.evaluate(opacity)).toBe("1");
  await context.close();
});

it("an address without http:// says what is missing while it is typed", async () => {
  const { tab, context } = await world.newChat();
  await tab.goto(`${world.serve.url}/settings`);
  await tab.getByLabel("Address").pressSequentially("localhost:11434");
  await tab.getByText("It must start with http:// or https://").waitFor();
  expect(await tab.getByRole("button", { name: "Test", exact: true }).isDisabled()).toBe(true);
  await context.close();
});

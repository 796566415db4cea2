/** Chatting in a real browser, against a real `precis serve` whose model is a fake that speaks the real wire format. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, eventually, meterOf, say } from "./support/actions.ts";
import { type ChatWorld, LONG, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

describe("chat", () => {
  it("streams an answer, shows the meter and keeps it after a reload", async () => {
    const { tab, faults, context } = await world.newChat();
    await ask(tab, "hello there");
    await tab.getByText("You said: hello there").waitFor();
    expect(await meterOf(tab)).toMatch(/^Tokens: [\d,]+ \/ [\d,]+ \(\d+ %\)$/);
    await tab.reload();
    await tab.getByText("You said: hello there").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("draws tables and code; nothing that a model writes runs or loads", async () => {
    const { tab, faults, context } = await world.newChat();
    await ask(tab, "a table please", "Apple");
    expect(await tab.locator(".markdown th").allTextContents()).toEqual(["Item", "Price"]);
    expect(await tab.locator(".markdown pre").textContent()).toContain("const x: number = 1;");
    await ask(tab, "now attack", "Look:");
    await tab.getByText("<script>window.hit=2</script>").waitFor();
    expect(await tab.locator(".markdown img").count()).toBe(0);
    expect(await tab.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await tab.evaluate("window.hit")).toBeUndefined();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("is compacted by itself when it gets long, shows it, and goes on", async () => {
    const { tab, faults, context } = await world.fullChat();
    const notice = tab.locator(".notice.done");
    for (let turn = 8; turn < 14 && (await notice.count()) === 0; turn += 1)
      await ask(tab, `Turn ${turn}: ${LONG}`, `You said: Turn ${turn}`);
    await notice.getByRole("button", { name: "Show" }).click();
    const divider = tab.locator(".divider").last();
    await divider.waitFor();
    expect(await divider.textContent()).toMatch(/\d+ messages summarised/);
    expect(await divider.textContent()).toMatch(/[\d,]+ → [\d,]+ tokens/);
    await ask(tab, "and now?");
    // The whole transcript is still there.
    await tab.locator(".transcript").evaluate((list) => list.scrollTo(0, 0));
    await tab.locator(".message.user", { hasText: "Turn 0 of" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("goes to the end with what is sent from further up", async () => {
    const { tab, faults, context } = await world.fullChat(7);
    await tab.locator(".transcript").evaluate((list) => list.scrollTo(0, 0));
    await tab.getByRole("button", { name: "Jump to the newest message" }).waitFor();
    await ask(tab, "from far above");
    expect(await tab.locator(".to-end").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("stops an answer", async () => {
    const { tab, context } = await world.newChat();
    await say(tab, "think forever");
    await tab.getByRole("button", { name: "Stop" }).click();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    expect(await tab.getByText("Here at last.").count()).toBe(0);
    await ask(tab, "go on then");
    await context.close();
  });

  it("shows in one tab what is said in another", async () => {
    const { tab, context } = await world.newChat();
    const other = await context.newPage();
    await other.goto(tab.url());
    await other.getByRole("textbox", { name: "Message" }).waitFor();
    await ask(tab, "seen everywhere");
    await other.getByText("You said: seen everywhere").waitFor();
    await context.close();
  });

  it("edits a message into a fork and forks at any message", async () => {
    const { tab, context } = await world.newChat();
    await ask(tab, "first words");
    const original = tab.url();
    await tab.locator(".message.user").hover();
    await tab.locator(".message.user").getByRole("button", { name: "Edit" }).click();
    await tab.locator(".edit-box textarea").fill("other words");
    await tab.getByRole("button", { name: "Send as a fork" }).click();
    await tab.getByText("You said: other words").waitFor();
    expect(tab.url()).not.toBe(original);
    await tab.goto(original);
    await tab.getByText("You said: first words").waitFor();
    await tab.locator(".message.user").hover();
    await tab.locator(".message.user").getByRole("button", { name: "Fork from here" }).click();
    await eventually(() => tab.url()).not.toBe(original);
    await tab.getByText("first words").first().waitFor();
    expect(await tab.locator(".message.assistant").count()).toBe(0);
    await context.close();
  });

  it("renames, pins, archives and deletes a conversation, and takes the deletion back", async () => {
    const { tab, context } = await world.newChat();
    await ask(tab, "keep me around");
    const url = tab.url();
    const act = async (name: string) => {
      await tab
        .locator(".item.here")
        .getByRole("button", { name: /^Actions for/ })
        .click();
      await tab.getByRole("menuitem", { name }).click();
    };
    await act("Rename");
    await tab.getByLabel("New title").fill("My renamed chat");
    await tab.getByLabel("New title").press("Enter");
    await tab.locator(".item.here .item-title", { hasText: "My renamed chat" }).waitFor();
    await act("Pin");
    await tab
      .locator("section", { hasText: "Pinned" })
      .locator(".item-title", { hasText: "My renamed chat" })
      .waitFor();
    await tab.getByRole("searchbox").fill("renamed");
    expect(await tab.locator(".item").count()).toBe(1);
    await act("Delete");
    await tab.getByText("“My renamed chat” is deleted.").waitFor();
    expect(await tab.locator(".item").count()).toBe(0);
    await tab.getByRole("button", { name: "Undo" }).click();
    await tab.waitForURL(url);
    await tab.getByText("You said: keep me around").waitFor();
    await context.close();
  });

  it("are searched for what was said; a hit leads to its message and marks it", async () => {
    const { tab, context, faults } = await world.fullChat(8);
    const { tab: _other, context: other } = await world.fullChat(3);
    await other.close();
    await tab.getByRole("searchbox").fill("Turn 1 of");
    const hits = tab.locator("section", { hasText: "In messages" }).locator(".item a");
    await hits.first().waitFor();
    const hit = hits.filter({ hasText: "Turn 1 of" }).first();
    expect(await hit.locator("mark").textContent()).toBe("Turn 1 of");
    await hit.click();
    await tab.waitForURL(/#message-2$/);
    await tab.locator(".row-frame.flash", { hasText: "Turn 1 of" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

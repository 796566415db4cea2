/** Chatting in a real browser, against a real `precis serve` whose model is a fake that speaks the real wire format. */
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

  it("at 390 px, the drawer takes the keyboard and gives it back", async () => {
    const { tab, context } = await world.newChat();
    await tab.setViewportSize({ width: 390, height: 800 });
    const menu = tab.getByRole("button", { name: "Open conversations" });
    const focused = (where: string) =>
      tab.evaluate(`document.activeElement.closest(${JSON.stringify(where)}) !== null`);
    await menu.press("Enter");
    for (let press = 0; press < 30; press += 1) {
      await eventually(() => focused("main, .skip")).toBe(false);
      if (press === 0) expect(await focused(".sidebar")).toBe(true);
      await tab.keyboard.press("Tab");
    }
    await tab.locator(".search input").focus();
    await tab.keyboard.press("Escape");
    await eventually(() => focused(".sidebar-button")).toBe(true);
    expect(await tab.locator("main[inert]").count()).toBe(0);
    await context.close();
  });

  it("stops an answer", async () => {
    const { tab, context } = await world.newChat();
    await say(tab, "think forever");
    await tab.getByRole("button", { name: "Stop" }).click();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await tab.locator(".notice.unanswered", { hasText: "You stopped the answer." }).waitFor();
    expect(await tab.getByText("Here at last.").count()).toBe(0);
    // It is no failure among the requests either.
    const page = await context.newPage();
    await page.goto(`${world.serve.url}/gateway?from=page`);
    await page.locator(".requests tr", { hasText: "stopped" }).first().getByRole("link").click();
    await page.getByText("It was stopped before it was complete.").waitFor();
    await page.locator("dd", { hasText: /^stopped$/ }).waitFor();
    expect(await page.locator(".failed").count()).toBe(0);
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

  it("keeps every version of an edited message, goes back to one and on from there, in every tab", async () => {
    const { tab, context, faults } = await world.newChat();
    await ask(tab, "first words");
    await ask(tab, "and some more");
    const original = tab.url();
    const other = await context.newPage();
    await other.goto(original);
    await other.getByText("You said: and some more").waitFor();
    const question = tab.locator(".message.user").first();
    for (const words of ["second words", "third words"]) {
      await question.hover();
      await question.getByRole("button", { name: "Edit" }).click();
      await tab.locator(".edit-box textarea").fill(words);
      await tab.locator(".edit-box").getByRole("button", { name: "Send" }).click();
      for (const one of [tab, other]) await one.getByText(`You said: ${words}`).waitFor();
      await tab.getByRole("button", { name: "Send" }).waitFor();
      expect(await tab.getByText("and some more").count()).toBe(0);
    }
    expect(tab.url()).toBe(original);
    await question.getByText("3 of 3").waitFor();
    const meter = await meterOf(tab);
    // By keyboard: the button keeps the focus from one version to the next.
    await question.getByRole("button", { name: "Previous version" }).focus();
    await tab.keyboard.press("Enter");
    await question.getByText("2 of 3").waitFor();
    await tab.keyboard.press("Enter");
    await question.getByText("1 of 3").waitFor();
    for (const one of [tab, other]) {
      await one.getByText("You said: and some more").waitFor();
      expect(await one.locator(".message.user").first().textContent()).toContain("first words");
      expect(await one.locator(".message").count()).toBe(4);
    }
    await eventually(() => meterOf(tab)).not.toBe(meter);
    expect(
      await question.getByRole("button", { name: "Previous version" }).getAttribute("aria-disabled"),
    ).toBe("true");
    await ask(tab, "on from the first");
    await other.getByText("You said: on from the first").waitFor();
    await tab.reload();
    await tab.getByText("You said: on from the first").waitFor();
    await question.getByText("1 of 3").waitFor();
    await question.getByRole("button", { name: "Next version" }).click();
    await tab.getByText("You said: second words").waitFor();
    expect(await tab.locator(".message").count()).toBe(2);
    expect(await tab.locator(".item").count()).toBe(await other.locator(".item").count());
    // The other ways to look at it follow.
    await other.getByText("You said: second words").waitFor();
    await other.goto(`${original}/inspect`);
    await other.getByText("second words").first().waitFor();
    await question.getByRole("button", { name: "Next version" }).click();
    await other.getByText("third words").first().waitFor();
    expect(await other.getByText("second words").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("keeps both of two answers to the same message", async () => {
    const { tab, context, faults } = await world.newChat();
    await ask(tab, "answer me twice");
    const original = tab.url();
    const answer = tab.locator(".message.assistant:not(.writing)");
    await answer.hover();
    const asked = world.provider.requests.length;
    world.nextReply = "Another answer altogether.";
    await answer.getByRole("button", { name: "Regenerate" }).click();
    await answer.getByText("2 of 2").waitFor();
    expect(world.provider.requests.length).toBe(asked + 1);
    expect(await answer.textContent()).toContain("Another answer altogether.");
    await answer.getByRole("button", { name: "Previous version" }).click();
    await answer.getByText("You said: answer me twice").waitFor();
    await answer.getByText("1 of 2").waitFor();
    expect(
      await tab
        .locator(".message.user")
        .getByText(/\d of \d/)
        .count(),
    ).toBe(0);
    expect(tab.url()).toBe(original);
    // On a phone, too, everything that can be done with it is on the screen.
    await answer.getByRole("button", { name: "More actions" }).click();
    await tab.getByRole("menuitem", { name: /^Pin:/ }).click();
    await answer.locator(".tag.pinned").waitFor();
    await tab.setViewportSize({ width: 390, height: 800 });
    await eventually(() =>
      answer.locator("footer").evaluate((footer) => footer.scrollWidth - footer.clientWidth),
    ).toBe(0);
    // One that fails says why, and takes nothing away.
    world.provider.failNext("server-error");
    await answer.hover();
    await answer.getByRole("button", { name: "Regenerate" }).click();
    await tab.getByRole("alert").getByText("500").waitFor();
    await answer.getByText("1 of 2").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("forks at any message", async () => {
    const { tab, context } = await world.newChat();
    await ask(tab, "first words");
    const original = tab.url();
    await tab.locator(".message.user").hover();
    await tab.locator(".message.user").getByRole("button", { name: "More actions" }).click();
    await tab.getByRole("menuitem", { name: "Fork from here" }).click();
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

  it("is exported as Markdown", async () => {
    const { tab, context, faults } = await world.newChat();
    await ask(tab, "keep this for me");
    await tab
      .locator(".item.here")
      .getByRole("button", { name: /^Actions for/ })
      .click();
    const coming = tab.waitForEvent("download");
    await tab.getByRole("menuitem", { name: "Export as Markdown" }).click();
    const file = await coming;
    expect(file.suggestedFilename()).toBe("keep-this-for-me.md");
    const path = join(tmpdir(), `precis-export-${process.pid}.md`);
    await file.saveAs(path);
    const text = readFileSync(path, "utf8");
    rmSync(path);
    expect(text).toMatch(
      /^# keep this for me\n\n## You\n\nkeep this for me\n\n## Assistant\n\nYou said: keep/,
    );
    expect(faults).toEqual([]);
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
    // A reload doesn't lead there again.
    await tab.reload();
    await tab.locator(".message").last().waitFor();
    expect(await tab.locator(".row-frame.flash").count()).toBe(0);
    // An address that names no message says so.
    const at = new URL(tab.url());
    await tab.goto("about:blank");
    await tab.goto(`${at.origin}${at.pathname}#message-99`);
    await tab.getByText(/^Message #100 doesn't exist: this conversation ends with #\d+\.$/).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** Texts and PDFs that go with a message, long pastes, and long messages. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, drop, eventually } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 54>>stream
BT /F1 12 Tf 20 100 Td (The mulch is in the shed.) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF`;
let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

async function paste(
  tab: Page,
  text: string,
  box = tab.getByRole("textbox", { name: "Message" }),
): Promise<void> {
  await box.focus();
  await tab.evaluate(`(() => {
    const data = new DataTransfer();
    data.setData("text/plain", ${JSON.stringify(text)});
    document.activeElement.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
    );
  })()`);
}

it("a text and a PDF are attached as text, kept over a reload, sent, and folded in the transcript", async () => {
  const { tab, context, faults } = await world.newChat();
  await drop(tab, ".composer", { name: "notes.md", type: "text/markdown", text: "# The key\nhangs there" });
  await drop(tab, ".composer", { name: "mulch.pdf", type: "application/pdf", text: PDF });
  const chips = tab.locator(".attachments li");
  await chips.filter({ hasText: "mulch.pdf" }).getByText("characters").waitFor();
  await drop(tab, ".composer", { name: "wrong.txt", type: "text/plain", text: "not wanted" });
  await tab.getByRole("button", { name: "Remove wrong.txt" }).click();
  await tab.reload();
  await eventually(() => chips.locator("strong").allTextContents()).toEqual(["notes.md", "mulch.pdf"]);
  await ask(tab, "Where is the mulch?");
  const sent = world.provider.requests.at(-1)?.lastUser ?? "";
  expect(sent).toContain("Where is the mulch?\n\n");
  expect(sent).toContain('<attachment name="notes.md">\n# The key\nhangs there\n</attachment>');
  expect(sent).toContain('<attachment name="mulch.pdf">\nThe mulch is in the shed.\n</attachment>');
  expect(await chips.count()).toBe(0);
  const message = tab.locator(".message.user");
  expect(await message.locator(".plain").allTextContents()).toEqual(["Where is the mulch?"]);
  await message.getByRole("button", { name: /^mulch\.pdf/ }).click();
  await message.locator(".fold-body pre", { hasText: "in the shed." }).waitFor();
  // Other words for it: what is attached stays.
  await message.hover();
  await message.getByRole("button", { name: "Edit" }).click();
  const edited = tab.locator(".edit-box textarea");
  expect(await edited.inputValue()).toBe("Where is the mulch?");
  // A long paste becomes an attachment here, too, and what was attached can be taken away.
  await paste(tab, "A line of a long log.\n".repeat(20_000), edited);
  await tab.locator(".edit-box .chip", { hasText: "Pasted text" }).waitFor();
  expect(await edited.inputValue()).toBe("Where is the mulch?");
  await tab.locator(".edit-box").getByRole("button", { name: "Remove Pasted text" }).click();
  await edited.fill("Where is the key?");
  await tab.locator(".edit-box").getByRole("button", { name: "Send" }).click();
  await tab.getByText("You said: Where is the key?").waitFor();
  expect(world.provider.requests.at(-1)?.lastUser).toContain("# The key\nhangs there");
  expect(faults).toEqual([]);
  await context.close();
});

it("a paste of 500 KB becomes an attachment, and what didn't go out comes back as one", async () => {
  const { tab, context, faults } = await world.newChat();
  const long = "A line of a long log, and nothing else in it.\n".repeat(11_000);
  await paste(tab, long);
  const chip = tab.locator(".attachments .chip", { hasText: "Pasted text" });
  await chip.getByText("506k characters").waitFor();
  await paste(tab, "short words");
  expect(await tab.locator(".attachments li").count()).toBe(1);
  const box = tab.getByRole("textbox", { name: "Message" });
  await box.fill("What does it say?");
  await context.setOffline(true);
  await box.press("Enter");
  const unsent = tab.locator(".message.unsent");
  await unsent.getByRole("button", { name: /^Pasted text/ }).waitFor();
  expect((await unsent.textContent())!.length).toBeLessThan(2_000);
  await unsent.getByRole("button", { name: "Back to the message box" }).click();
  await chip.waitFor();
  expect(await box.inputValue()).toBe("What does it say?");
  expect(faults).toEqual([]);
  await context.close();
});

it("a long message is folded until somebody wants all of it", async () => {
  const { tab, context, faults } = await world.newChat();
  const lines = Array.from({ length: 60 }, (_, n) => `Line ${n} of it.`).join("\n");
  await ask(tab, lines, "You said: Line 0");
  const message = tab.locator(".message.user");
  expect(await message.textContent()).not.toContain("Line 59");
  await message.getByRole("button", { name: /^Show all/ }).click();
  await message.getByText("Line 59 of it.").waitFor();
  await message.getByRole("button", { name: "Show less" }).click();
  expect(await message.textContent()).not.toContain("Line 59");
  expect(faults).toEqual([]);
  await context.close();
});

it("two hundred files leave the message box in sight", async () => {
  const { tab, context, faults } = await world.newChat();
  await tab.evaluate(`(() => {
    const data = new DataTransfer();
    for (let n = 0; n < 200; n++) data.items.add(new File(["file " + n], "notes-" + n + ".txt", { type: "text/plain" }));
    document.querySelector(".composer").dispatchEvent(
      new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
    );
  })()`);
  await eventually(() => tab.locator(".attachments .chip strong").count()).toBe(200);
  const box = await tab.getByRole("textbox", { name: "Message" }).boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(800);
  expect(faults).toEqual([]);
  await context.close();
});

/** Pictures: pasted, dropped, sent, shown. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, drop, eventually, say } from "./support/actions.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

/** One red pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

async function paste(tab: Page): Promise<void> {
  await tab.getByRole("textbox", { name: "Message" }).focus();
  await tab.evaluate(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(PIXEL)}), (c) => c.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "pixel.png", { type: "image/png" }));
    document.activeElement.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
    );
  })()`);
}

it("are pasted and dropped into a message, sent with it and shown in it", async () => {
  const { tab, context, faults } = await world.newChat();
  await paste(tab);
  await tab.getByRole("img", { name: "Image 1" }).waitFor();
  await drop(tab, ".composer", { name: "second.png", type: "image/png", base64: PIXEL });
  await tab.getByRole("img", { name: "Image 2" }).waitFor();
  await tab.getByRole("button", { name: "Remove image 2" }).click();
  expect(await tab.locator(".attachments li").count()).toBe(1);
  await ask(tab, "what is on it?");
  const sent = world.provider.requests.at(-1);
  expect(sent?.raw).toContain(`data:image/png;base64,${PIXEL}`);
  await tab.locator(".message.user .picture").waitFor();
  await tab.reload();
  await tab.locator(".message.user .picture").waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it("a picture alone is a message; a file that can't be read is refused in words", async () => {
  const { tab, context } = await world.newChat();
  await drop(tab, ".composer", { name: "one.png", type: "image/png", base64: PIXEL });
  await tab.getByRole("img", { name: "Image 1" }).waitFor();
  await say(tab, "");
  await tab.locator(".message.user .picture").waitFor();
  await tab.getByRole("button", { name: "Send" }).waitFor();
  await drop(tab, ".composer", { name: "notes.pdf", type: "application/pdf", text: "%PDF-1.7 nothing" });
  await eventually(() => tab.getByRole("alert").textContent()).toContain("notes.pdf");
  await context.close();
});

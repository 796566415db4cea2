import type { Page } from "playwright-core";
import { expect } from "vitest";

export async function say(tab: Page, text: string): Promise<void> {
  const box = tab.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

/** Says it and waits until the answer stands there whole. */
export async function ask(tab: Page, text: string, answer = `You said: ${text.slice(0, 30)}`): Promise<void> {
  await say(tab, text);
  await tab.locator(".message.assistant:not(.writing)", { hasText: answer }).last().waitFor();
  await tab.getByRole("button", { name: "Send" }).waitFor();
}

/** Compacts by hand. */
export async function compact(tab: Page, focus = ""): Promise<void> {
  await tab.getByRole("button", { name: "Compact now" }).click();
  // The words can be typed at once.
  await tab.locator("dialog textarea:focus").waitFor();
  await tab.keyboard.type(focus);
  await tab.getByRole("button", { name: "Compact", exact: true }).click();
}

/** Opens the settings behind "More settings". */
export async function showAllSettings(tab: Page): Promise<void> {
  await tab.getByText(/^More settings/).click();
}

/** Drops a file on an element, as a person does. */
export async function drop(
  tab: Page,
  target: string,
  file: { readonly name: string; readonly type?: string; readonly text?: string; readonly base64?: string },
): Promise<void> {
  // As text: these tests are typed without a document.
  const data = await tab.evaluateHandle(`((file) => {
    const bytes = file.base64 === undefined ? file.text : Uint8Array.from(atob(file.base64), (c) => c.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], file.name, { type: file.type ?? "application/json" }));
    return transfer;
  })(${JSON.stringify(file)})`);
  await tab.dispatchEvent(target, "drop", { dataTransfer: data });
}

/** Two busy cores: what takes a moment by hand may take a few seconds here. */
export const eventually = <T>(read: () => T) => expect.poll(read);

export const meterOf = async (tab: Page) => (await tab.locator(".meter .wide").textContent()) ?? "";

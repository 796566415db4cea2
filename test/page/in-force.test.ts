/** The settings show what holds and who says so: the profile, the server's config, all chats, or this one. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, showAllSettings } from "./support/actions.ts";
import { openPage } from "./support/browser.ts";
import { type ChatWorld, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

it("a value comes from the profile until somebody chooses, and another profile brings its own", async () => {
  const { tab, context, faults } = await openPage(world.browser, `${world.serve.url}/settings`);
  await showAllSettings(tab);
  const row = (label: string) =>
    tab.locator(".setting", { has: tab.getByText(label, { exact: true }) }).locator(".setting-words");
  const cap = tab.getByLabel("Longest summary", { exact: true });
  await row("Longest summary").getByText("Default: 6,000.").waitFor();
  expect(await cap.getAttribute("placeholder")).toBe("6,000");
  await row("Window").getByText("Now: 4,000, from the server's config.").waitFor();
  // What the box says and what the words say is the same, also where nobody says anything.
  await row("Compact after messages").getByText("Default: never.").waitFor();
  expect(await tab.getByLabel("Compact after messages", { exact: true }).getAttribute("placeholder")).toBe(
    "never",
  );
  await tab.getByLabel("Profile", { exact: true }).selectOption("rag");
  await row("Longest summary").getByText("Now: 800, from the profile Sources.").waitFor();
  await row("Compact after messages").getByText("Now: 11, from the profile Sources.").waitFor();
  await cap.fill("1200");
  await cap.press("Enter");
  await row("Longest summary").getByText("Your choice. Otherwise: 800, from the profile Sources.").waitFor();
  // One chat goes by the choice for all chats, unless it has its own profile.
  const { tab: chat, context: other } = await world.fullChat(2);
  await chat.getByRole("button", { name: "Chat settings" }).click();
  const dialog = chat.getByRole("dialog");
  await showAllSettings(chat);
  await dialog.getByText("Now: 1,200, from the settings for all chats.").waitFor();
  await dialog.getByLabel("Profile", { exact: true }).selectOption("desktop");
  await dialog.getByText("Now: 50,000, from the profile Desktop.").waitFor();
  await other.close();
  await tab.getByRole("button", { name: "Profile: Back to default" }).click();
  await tab.getByRole("button", { name: "Longest summary: Back to default" }).click();
  await eventually(() => row("Longest summary").textContent()).toContain("Default: 6,000.");
  expect(faults).toEqual([]);
  await context.close();
});

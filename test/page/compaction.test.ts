/** Compactions in a real browser: seen, steered, undone; the inspector; settings. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, compact, eventually, meterOf, showAllSettings } from "./support/actions.ts";
import { type ChatWorld, LONG, openChatWorld } from "./support/chat-world.ts";

let world: ChatWorld;

beforeAll(async () => {
  world = await openChatWorld();
});
afterAll(() => world?.close());

describe("compaction", () => {
  it("is undone and done again, with a focus", async () => {
    const { tab, context } = await world.compactedChat();
    const compacted = await meterOf(tab);
    await tab.locator(".divider-head").click();
    await tab.locator(".divider").getByRole("button", { name: "Undo" }).click();
    await tab.locator(".divider").waitFor({ state: "detached" });
    await eventually(() => meterOf(tab)).not.toBe(compacted);
    await compact(tab, "the shed key");
    await tab.getByRole("button", { name: "Show", exact: true }).click();
    const divider = tab.locator(".divider");
    await divider.waitFor();
    await divider.locator(".divider-head").click();
    expect(await divider.textContent()).toContain("because it was requested");
    // Pointers lead to the messages that the summary stands for.
    await divider.locator(".pointer").first().click();
    await tab.locator(".row-frame.flash").first().waitFor();
    await context.close();
  });

  it("says whose key paid for its summary", async () => {
    const { tab, context } = await world.fullChat();
    await compact(tab);
    await tab.getByRole("button", { name: "Show", exact: true }).click();
    const divider = tab.locator(".divider");
    await divider.waitFor();
    expect(await divider.textContent()).toMatch(/paid with the (?:client|server)'s key/);
    await context.close();
  });

  it("takes what a person chose: up to a message, then a range, by keyboard", async () => {
    const { tab, context, faults } = await world.fullChat(6);
    const message = (name: string) => tab.getByRole("article", { name });
    const open = async (name: string) => {
      const button = message(name).getByRole("button", { name: "More actions" });
      await button.focus();
      await button.press("Enter");
      await tab.locator(".menu button:focus").waitFor();
    };
    await open("Assistant, #4");
    await tab.keyboard.press("Enter");
    // What it takes is said before it happens.
    const dialog = tab.getByRole("dialog", { name: "Compact up to #4" });
    await dialog.getByText(/gpt-4o reads about [\d,]+ tokens for this/).waitFor();
    await dialog.getByRole("button", { name: "Compact", exact: true }).press("Enter");
    await tab.locator(".divider").waitFor();
    await message("You, #3, Summarised").waitFor();
    // It stands behind what it covers, and not behind what was kept.
    await tab.getByRole("region", { name: /, after #4$/ }).waitFor();
    await message("You, #5, Kept").waitFor();
    await open("You, #7");
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("Enter");
    await tab.getByText("Range starts here").waitFor();
    await open("Assistant, #10");
    await tab.getByRole("menuitem", { name: "Compact from #7 to here" }).click();
    await tab.getByRole("dialog", { name: "Compact #7–10" }).getByRole("button", { name: "Compact" }).click();
    await message("Assistant, #8, Summarised").waitFor();
    await message("You, #5, Kept").waitFor();
    await message("You, #11, Kept").waitFor();
    expect(await tab.getByText("Range starts here").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("lets a person edit what a model wrote", async () => {
    const { tab, context } = await world.compactedChat();
    await tab.locator(".divider-head").click();
    await tab.locator(".summary-box").first().getByRole("button", { name: "Edit" }).click();
    await tab.getByLabel("Text of the summary").fill("The shed key hangs behind the GREEN door.");
    await tab.getByRole("button", { name: "Save" }).click();
    const id = new URL(tab.url()).pathname.split("/")[2];
    const request = async () => (await fetch(`${world.serve.url}/api/conversations/${id}/request`)).text();
    await eventually(request).toContain("GREEN door");
    await context.close();
  });

  it("summaries are cleared only after a question, and can be had back, also after a reload", async () => {
    const { tab, context, faults } = await world.compactedChat();
    const compacted = await meterOf(tab);
    const id = new URL(tab.url()).pathname.split("/")[2];
    const read = async (path: string) =>
      (await fetch(`${world.serve.url}/api/conversations/${id}/${path}`)).json();
    const summaries = await read("summaries");
    const request = await read("request");
    const asking = async () => {
      await tab.getByRole("button", { name: "Chat settings" }).click();
      await tab.getByRole("button", { name: "Clear summaries" }).click();
      await tab.getByText("The next compaction asks the model again").waitFor();
    };
    await asking();
    await tab.getByRole("button", { name: "Keep them" }).click();
    expect(await read("summaries")).toEqual(summaries);
    await tab.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await asking();
    await tab.getByRole("button", { name: "Clear them" }).click();
    const notice = tab.locator(".notice", { hasText: "the model sees the whole transcript again" });
    await eventually(() => meterOf(tab)).not.toBe(compacted);
    expect(await read("summaries")).toEqual({ summaries: [] });
    await notice.getByRole("button", { name: "Undo" }).click();
    await eventually(() => meterOf(tab)).toBe(compacted);
    expect(await read("summaries")).toEqual(summaries);
    expect(await read("request")).toEqual(request);
    await tab.reload();
    await eventually(() => meterOf(tab)).toBe(compacted);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("can be cancelled", async () => {
    const { tab, context } = await world.fullChat();
    const before = await meterOf(tab);
    world.summaries = "endless";
    try {
      await compact(tab);
      await tab.locator(".notice.busy").getByRole("button", { name: "Cancel" }).click();
      await tab.locator(".notice.busy").waitFor({ state: "detached" });
      expect(await tab.locator(".notice.done").count()).toBe(0);
      expect(await meterOf(tab)).toBe(before);
    } finally {
      world.summaries = "good";
    }
    await context.close();
  });

  it("goes on over a reload: it is seen under way and can be cancelled, and what came of it is told", async () => {
    const { tab, context, faults } = await world.fullChat();
    const before = await meterOf(tab);
    const busy = tab.locator(".notice.busy");
    world.summaries = "endless";
    try {
      await compact(tab);
      await busy.waitFor();
      await tab.reload();
      await busy.getByText("Summarising older messages").waitFor();
      await busy.getByRole("button", { name: "Cancel" }).click();
      await busy.waitFor({ state: "detached" });
      expect(await meterOf(tab)).toBe(before);
    } finally {
      world.summaries = "good";
    }
    const url = tab.url();
    const id = new URL(url).pathname.split("/")[2];
    const events = async () =>
      (await fetch(`${world.serve.url}/api/conversations/${id}/timeline`)).json() as Promise<{
        events: { type: string }[];
      }>;
    await Promise.all([tab.waitForRequest(/\/compact$/), compact(tab)]);
    await tab.goto("about:blank");
    await eventually(async () => (await events()).events.some(({ type }) => type === "compacted")).toBe(true);
    await tab.goto(url);
    await tab
      .locator(".notice.done")
      .getByText(/older messages are now a summary/)
      .waitFor();
    // It is told once.
    await tab.reload();
    await tab.locator(".divider").waitFor();
    expect(await tab.locator(".notice.done").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("says before it begins what it frees", async () => {
    const { tab, context } = await world.fullChat();
    await tab.getByRole("button", { name: "Compact now" }).click();
    const gain = tab.getByRole("dialog").getByText(/ → about .* tokens: frees about/);
    await gain.waitFor();
    const [before, after] = (await gain.innerText())
      .match(/[\d,]+/g)!
      .map((one) => Number(one.replace(",", "")));
    expect(before).toBeGreaterThan(after! * 1.5);
    await context.close();
  });

  it("that only leaves messages out says so, and offers no summary to read", async () => {
    const { tab, faults, context } = await world.fullChat();
    const id = new URL(tab.url()).pathname.split("/")[2];
    await fetch(`${world.serve.url}/api/conversations/${id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ settings: { strategy: "truncate-oldest" } }),
    });
    await compact(tab);
    const notice = tab.locator(".notice.done");
    await notice.getByText(/^[1-9]\d* older messages are now left out: [\d,]+ → [\d,]+ tokens/).waitFor();
    expect(await notice.textContent()).not.toMatch(/summary/i);
    await tab.getByRole("button", { name: "Show", exact: true }).click();
    const divider = tab.locator(".divider");
    await divider.getByText(/^[1-9]\d* messages left out$/).waitFor();
    await divider.locator(".divider-head").click();
    await divider.getByRole("button", { name: "Undo" }).waitFor();
    expect(await divider.textContent()).not.toMatch(/summar|What the model sees/i);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("that is asked for again at once says that nothing was said since, and What if agrees", async () => {
    const { tab, faults, context } = await world.compactedChat();
    const compacted = await meterOf(tab);
    await compact(tab);
    await tab.getByText("The chat was just compacted and has no new messages").waitFor();
    expect(await meterOf(tab)).toBe(compacted);
    await tab.getByRole("link", { name: "Inspect" }).click();
    await tab.getByRole("form", { name: "What if?" }).getByLabel("With a compaction").check();
    await tab
      .locator(".inspect-numbers")
      .getByText("The chat was just compacted and has no new messages")
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("of a few words says that there is nothing to gain", async () => {
    const { tab, context } = await world.newChat();
    await ask(tab, "hello");
    await compact(tab);
    await tab.getByText("There is nothing to gain").waitFor();
    expect(await tab.locator(".divider").count()).toBe(0);
    await context.close();
  });

  it("says what failed and what was done instead", async () => {
    const { tab, context } = await world.fullChat();
    world.summaries = "failing";
    try {
      await compact(tab);
      await tab.getByText("The summary failed.").waitFor();
      expect(await tab.locator(".notice.warn").textContent()).toMatch(/Done instead|Nothing was changed/);
      await ask(tab, "still with me?");
    } finally {
      world.summaries = "good";
    }
    await context.close();
  });
});

describe("a compaction by itself", () => {
  it("is announced while its summary is written, and can be cancelled without stopping the chat", async () => {
    const { tab, context, faults } = await world.fullChat(7);
    world.summaries = "endless";
    const busy = tab.locator(".notice.busy");
    try {
      for (let turn = 8; turn < 12 && (await busy.count()) === 0; turn += 1)
        await ask(tab, `Turn ${turn}: ${LONG.slice(0, 900)}`, `You said: Turn ${turn}`);
      await busy.getByRole("button", { name: "Cancel" }).click();
      await busy.waitFor({ state: "detached" });
    } finally {
      world.summaries = "good";
    }
    await ask(tab, "and on we go");
    expect(await tab.getByText("The summary failed.").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("that fails says so, and what was done instead", async () => {
    const { tab, context } = await world.fullChat(7);
    world.summaries = "failing";
    const failed = tab.getByText("The summary failed.");
    try {
      for (let turn = 8; turn < 12 && (await failed.count()) === 0; turn += 1)
        await ask(tab, `Turn ${turn}: ${LONG.slice(0, 900)}`, `You said: Turn ${turn}`);
      await failed.waitFor();
      expect(await tab.locator(".notice.warn").textContent()).toContain("exact lines, no model");
      await tab.locator(".notice.warn").getByRole("button", { name: "Close" }).click();
      await failed.waitFor({ state: "detached" });
    } finally {
      world.summaries = "good";
    }
    await ask(tab, "still with me?");
    await context.close();
  });
});

describe("inspector", () => {
  it("shows each message's fate, pins one, and tries another window", async () => {
    const { tab, faults, context } = await world.compactedChat();
    await tab.getByRole("link", { name: "Inspect" }).click();
    await tab.locator(".lot.insert").waitFor();
    expect(await tab.locator(".lot.run.covered, .lot.covered").count()).toBeGreaterThan(0);
    await tab.getByRole("button", { name: "Show them" }).first().click();
    const covered = tab.locator(".lot.covered:not(.run)").first();
    await covered.hover();
    await covered.getByRole("button", { name: /Pin/ }).click();
    await tab.locator(".lot.kept", { hasText: "pinned" }).waitFor();
    await tab.getByLabel("Window").fill("64k");
    await eventually(() => tab.locator(".inspect-numbers").textContent()).toContain("Nothing is due.");
    await tab.getByRole("button", { name: "Reset" }).click();
    await tab.getByRole("button", { name: "Request as JSON" }).click();
    await tab.locator(".json", { hasText: '"messages"' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe("settings", () => {
  it("hold for all chats, and differ in one", async () => {
    const { tab, context } = await world.newChat();
    await ask(tab, "hello");
    const chat = tab.url();
    await tab.goto(`${world.serve.url}/settings`);
    await showAllSettings(tab);
    await tab.getByLabel("Show tokens", { exact: true }).click();
    await tab.getByRole("button", { name: "Show tokens: Back to default" }).waitFor();
    await tab.goto(chat);
    await tab.getByText("You said: hello").waitFor();
    expect(await tab.locator(".meter").count()).toBe(0);
    await tab.goto(`${world.serve.url}/settings`);
    await showAllSettings(tab);
    const back = tab.getByRole("button", { name: "Show tokens: Back to default" });
    await back.click();
    await back.waitFor({ state: "detached" });
    await tab.goto(chat);
    await tab.locator(".meter").waitFor();
    const before = await meterOf(tab);
    await tab.getByRole("button", { name: "Chat settings" }).click();
    await tab.getByRole("dialog").getByLabel("Window").fill("2k");
    await tab.getByRole("dialog").getByLabel("Window").press("Enter");
    await eventually(() => meterOf(tab)).not.toBe(before);
    await context.close();
  });
});

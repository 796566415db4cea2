/** Chatting in a real browser, against a real `precis serve` whose model is a fake that speaks the real wire format. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type FakeProvider,
  type FakeReply,
  type FakeRequest,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { type ServeProcess, startServe } from "../gateway/serve-process.ts";
import { launch, type Opened, openPage } from "./support/browser.ts";
import { buildPage } from "./support/build-page.ts";

const WINDOW = 4_000;
const SLOW_MS = 1_500;
let provider: FakeProvider;
let serve: ServeProcess;
let browser: Browser;
let made = 0;
/** How summaries go at the moment. */
let summaries: "good" | "failing" | "slow" = "good";

const isSummary = ({ messages, lastUser }: FakeRequest) =>
  /summar|condense/i.test(lastUser) ||
  messages.some(({ role, text }) => role === "system" && /summar/i.test(text));

beforeAll(async () => {
  buildPage();
  const summary = summarizingReply({ when: () => true });
  provider = await startFakeProvider({
    window: WINDOW,
    models: ["gpt-4o", "gpt-4o-mini"],
    async reply(request): Promise<FakeReply> {
      if (isSummary(request)) {
        const text = await summary(request);
        return { text: String(text), ...(summaries === "slow" && { delayMs: SLOW_MS }) };
      }
      if (/slowly/.test(request.lastUser)) return { text: "Slow but here.", delayMs: SLOW_MS };
      if (/attack/.test(request.lastUser))
        return 'Look: <img src="https://example.com/x.png" onerror="window.hit=1"> <script>window.hit=2</script> ![pic](https://example.com/y.png) [link](javascript:window.hit=3)';
      if (/table/.test(request.lastUser))
        return "| Item | Price |\n| --- | ---: |\n| Apple | 3 |\n\n```ts\nconst x: number = 1;\n```";
      return `You said: ${request.lastUser.slice(0, 40)}. ${"It is noted. ".repeat(12)}`;
    },
    faults: (request) => (summaries === "failing" && isSummary(request) ? "unauthorized" : undefined),
  });
  [serve, browser] = await Promise.all([
    startServe(["--upstream", provider.url, "--window", String(WINDOW)]),
    launch(),
  ]);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await serve?.stop();
  await provider?.close();
});

async function newChat(): Promise<Opened> {
  const opened = await openPage(browser, serve.url);
  await opened.tab.getByRole("button", { name: /^Start a chat/ }).click();
  await opened.tab.waitForURL(/\/c\//);
  return opened;
}

async function say(tab: Page, text: string): Promise<void> {
  const box = tab.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

/** Says it and waits until the answer stands there whole. */
async function ask(tab: Page, text: string, answer = `You said: ${text.slice(0, 30)}`): Promise<void> {
  await say(tab, text);
  await tab.locator(".message.assistant:not(.writing)", { hasText: answer }).last().waitFor();
  await tab.getByRole("button", { name: "Send" }).waitFor();
}

const LONG = "Please remember that the shed key hangs behind the blue door. ".repeat(25);

/** A chat that is nearly full, made without the page; `turns` of about 370 tokens each. */
async function fullChat(turns = 8): Promise<Opened> {
  // Records are found by content: the same words would bring an earlier test's compaction along.
  made += 1;
  const messages = Array.from({ length: turns }, (_, turn) => [
    { role: "user", content: `Turn ${turn} of chat ${made}: ${LONG}` },
    { role: "assistant", content: `You said: Turn ${turn}. ${"It is noted. ".repeat(12)}` },
  ]).flat();
  const post = (path: string, method: string, body: object) =>
    fetch(serve.url + path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }).then((response) => response.json());
  const { conversations } = (await post("/api/import", "POST", {
    name: "garden.json",
    text: JSON.stringify(messages),
  })) as { conversations: { id: string }[] };
  const id = conversations[0]?.id;
  await post(`/api/conversations/${id}`, "PATCH", { model: "gpt-4o" });
  const opened = await openPage(browser, `${serve.url}/c/${id}`);
  await opened.tab.getByText(`You said: Turn ${turns - 1}`).waitFor();
  return opened;
}

/** Compacts by hand and shows the divider. */
async function compact(tab: Page, focus = ""): Promise<void> {
  await tab.locator(".meter-line").click();
  await tab.getByRole("button", { name: "Compact now" }).click();
  if (focus !== "") await tab.getByRole("dialog").getByRole("textbox").fill(focus);
  await tab.getByRole("button", { name: "Compact", exact: true }).click();
}

/** A chat that has been compacted, with its divider on screen. */
async function compactedChat(): Promise<Opened> {
  const opened = await fullChat();
  await compact(opened.tab);
  await opened.tab.getByRole("button", { name: "Show", exact: true }).click();
  await opened.tab.locator(".divider").waitFor();
  return opened;
}

/** Two busy cores: what takes a moment by hand may take a few seconds here. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

const meterOf = async (tab: Page) => (await tab.locator(".meter .wide").textContent()) ?? "";

describe("chat", () => {
  it("streams an answer, shows the meter and keeps it after a reload", async () => {
    const { tab, faults, context } = await newChat();
    await ask(tab, "hello there");
    await tab.getByText("You said: hello there").waitFor();
    expect(await meterOf(tab)).toMatch(/^Tokens: [\d,]+ \/ [\d,]+ \(\d+ %\)$/);
    await tab.reload();
    await tab.getByText("You said: hello there").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("draws tables and code; nothing that a model writes runs or loads", async () => {
    const { tab, faults, context } = await newChat();
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
    const { tab, faults, context } = await fullChat();
    const notice = tab.locator(".notice.done");
    for (let turn = 8; turn < 14 && (await notice.count()) === 0; turn += 1)
      await ask(tab, `Turn ${turn}: ${LONG}`, `You said: Turn ${turn}`);
    await notice.getByRole("button", { name: "Show" }).click();
    const divider = tab.locator(".divider").last();
    await divider.waitFor();
    expect(await divider.textContent()).toMatch(/\d+ messages covered/);
    expect(await divider.textContent()).toMatch(/[\d,]+ → [\d,]+ tokens/);
    await ask(tab, "and now?");
    // The whole transcript is still there.
    await tab.locator(".transcript").evaluate((list) => list.scrollTo(0, 0));
    await tab.locator(".message.user", { hasText: "Turn 0 of" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("stops an answer", async () => {
    const { tab, context } = await newChat();
    await say(tab, "answer slowly");
    await tab.getByRole("button", { name: "Stop" }).click();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await tab.waitForTimeout(SLOW_MS);
    expect(await tab.getByText("Slow but here.").count()).toBe(0);
    await context.close();
  });

  it("is reloaded in the middle of an answer, loses nothing that was said, and goes on", async () => {
    const { tab, context } = await newChat();
    await say(tab, "answer slowly");
    await tab.locator(".message.user").waitFor();
    await tab.waitForTimeout(300);
    await tab.reload();
    await tab.locator(".message.user", { hasText: "answer slowly" }).waitFor();
    await tab.locator(".meter").waitFor();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await ask(tab, "still there?");
    await context.close();
  });

  it("shows in one tab what is said in another", async () => {
    const { tab, context } = await newChat();
    const other = await context.newPage();
    await other.goto(tab.url());
    await other.getByRole("textbox", { name: "Message" }).waitFor();
    await ask(tab, "seen everywhere");
    await other.getByText("You said: seen everywhere").waitFor();
    await context.close();
  });

  it("edits a message into a fork and forks at any message", async () => {
    const { tab, context } = await newChat();
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
    const { tab, context } = await newChat();
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
});

describe("compaction", () => {
  it("is undone and done again, with a focus", async () => {
    const { tab, context } = await compactedChat();
    const compacted = await meterOf(tab);
    await tab.locator(".divider-head").click();
    await tab.locator(".divider").getByRole("button", { name: "Undo" }).click();
    await tab.locator(".divider").waitFor({ state: "detached" });
    await eventually(() => meterOf(tab)).not.toBe(compacted);
    await compact(tab, "the shed key");
    await tab.getByRole("button", { name: "Show", exact: true }).click();
    const divider = tab.locator(".divider");
    await divider.waitFor();
    expect(await divider.textContent()).toContain("because you asked for it");
    await divider.locator(".divider-head").click();
    // Pointers lead to the messages that the summary stands for.
    await divider.locator(".pointer").first().click();
    await tab.locator(".row-frame.flash").first().waitFor();
    await context.close();
  });

  it("lets a person edit what a model wrote", async () => {
    const { tab, context } = await compactedChat();
    await tab.locator(".divider-head").click();
    await tab.locator(".summary-box").first().getByRole("button", { name: "Edit" }).click();
    await tab.getByLabel("Text of the summary").fill("The shed key hangs behind the GREEN door.");
    await tab.getByRole("button", { name: "Save" }).click();
    const id = new URL(tab.url()).pathname.split("/")[2];
    const request = async () => (await fetch(`${serve.url}/api/conversations/${id}/request`)).text();
    await eventually(request).toContain("GREEN door");
    await context.close();
  });

  it("can be cancelled", async () => {
    const { tab, context } = await fullChat();
    const before = await meterOf(tab);
    summaries = "slow";
    try {
      await compact(tab);
      await tab.locator(".notice.busy").getByRole("button", { name: "Cancel" }).click();
      await tab.locator(".notice.busy").waitFor({ state: "detached" });
      await tab.waitForTimeout(SLOW_MS);
      expect(await tab.locator(".notice.done").count()).toBe(0);
      expect(await meterOf(tab)).toBe(before);
    } finally {
      summaries = "good";
    }
    await context.close();
  });

  it("says what failed and what was done instead", async () => {
    const { tab, context } = await fullChat();
    summaries = "failing";
    try {
      await compact(tab);
      await tab.getByText("A summary failed.").waitFor();
      expect(await tab.locator(".notice.warn").textContent()).toMatch(/Done instead|Nothing was changed/);
      await ask(tab, "still with me?");
    } finally {
      summaries = "good";
    }
    await context.close();
  });
});

describe("inspector", () => {
  it("shows each message's fate, pins one, and tries another window", async () => {
    const { tab, faults, context } = await compactedChat();
    await tab.getByRole("link", { name: "Inspect" }).click();
    await tab.locator(".lot.insert").waitFor();
    expect(await tab.locator(".lot.run.covered, .lot.covered").count()).toBeGreaterThan(0);
    await tab.getByRole("button", { name: "Show them" }).first().click();
    const covered = tab.locator(".lot.covered:not(.run)").first();
    await covered.hover();
    await covered.getByRole("button", { name: /Pin/ }).click();
    await tab.locator(".lot.kept", { hasText: "pinned by you" }).waitFor();
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
    const { tab, context } = await newChat();
    await ask(tab, "hello");
    const chat = tab.url();
    await tab.goto(`${serve.url}/settings`);
    await tab.getByLabel("Show tokens", { exact: true }).click();
    await tab.getByRole("button", { name: "Show tokens: Back to default" }).waitFor();
    await tab.goto(chat);
    await tab.getByText("You said: hello").waitFor();
    expect(await tab.locator(".meter").count()).toBe(0);
    await tab.goto(`${serve.url}/settings`);
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

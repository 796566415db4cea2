/** What comes between: reloads, other tabs, lost networks, servers that are started again. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServeProcess, startServe } from "../gateway/serve-process.ts";
import { startTrickleProvider, type TrickleProvider } from "../support/trickle-provider.ts";
import { eventually, say } from "./support/actions.ts";
import { connect, type Opened, openPage } from "./support/browser.ts";

const WORDS = Array.from({ length: 24 }, (_, n) => `word${n}`);
const EVERY_MS = 150;
const LAST = WORDS.at(-1)!;
let model: TrickleProvider;
let serve: ServeProcess;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "precis-page-"));
  model = await startTrickleProvider({ words: WORDS, everyMs: EVERY_MS });
  [serve, browser] = await Promise.all([start(), connect()]);
});
afterAll(async () => {
  await browser?.close();
  await serve?.stop();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (port = "0") =>
  startServe(["--upstream", model.url, "--window", "8000"], { db: join(folder, "page.db"), port });

async function newChat(): Promise<Opened> {
  const opened = await openPage(browser, serve.url);
  await opened.tab.getByRole("button", { name: /^Start a chat/ }).click();
  await opened.tab.waitForURL(/\/c\//);
  return opened;
}

const writing = (tab: Page) => tab.locator(".message.assistant.writing");
const answered = (tab: Page) => tab.locator(".message.assistant:not(.writing)", { hasText: LAST });
const wordsIn = async (tab: Page) =>
  ((await writing(tab).textContent({ timeout: 5_000 })) ?? "").match(/word\d+/g)?.length ?? 0;

describe("an answer that is being written", () => {
  it("goes on growing after a reload, and is there to its end", async () => {
    const { tab, context, faults } = await newChat();
    await say(tab, "Write on, please.");
    await writing(tab).getByText("word2").waitFor();
    await tab.reload();
    await tab.locator(".message.user", { hasText: "Write on, please." }).waitFor();
    await writing(tab).getByText("word3").waitFor();
    const before = await wordsIn(tab);
    await eventually(() => wordsIn(tab)).toBeGreaterThan(before);
    await answered(tab).waitFor();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    expect(await tab.locator(".message.assistant").count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("is seen growing in another tab, which can stop it", async () => {
    const { tab, context, faults } = await newChat();
    const other = await context.newPage();
    await other.goto(tab.url());
    await other.getByRole("textbox", { name: "Message" }).waitFor();
    await say(tab, "For both of us.");
    await writing(other).getByText("word2").waitFor();
    await other.getByRole("button", { name: "Stop" }).click();
    for (const page of [tab, other]) {
      await page.getByRole("button", { name: "Send" }).waitFor();
      await page.locator(".message.assistant:not(.writing)", { hasText: "word2" }).waitFor();
      expect(await answered(page).count()).toBe(0);
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  it("is not lost with the network: offline, and back", async () => {
    const { tab, context, faults } = await newChat();
    await say(tab, "Through the tunnel.");
    await writing(tab).getByText("word2").waitFor();
    await context.setOffline(true);
    await tab.getByText("Connection lost").waitFor();
    await context.setOffline(false);
    await tab.getByText("Connection lost").waitFor({ state: "detached" });
    await answered(tab).waitFor();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    expect(await tab.getByRole("alert").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("is written to its end by a server that is told to stop; the page goes on with the next one", async () => {
    const { tab, context } = await newChat();
    await say(tab, "One more before you go.");
    await writing(tab).getByText("word2").waitFor();
    await restart("SIGTERM");
    await answered(tab).waitFor();
    await tab.getByText("Connection lost").waitFor({ state: "detached" });
    await say(tab, "Still there?");
    await eventually(() => answered(tab).count()).toBe(2);
    await context.close();
  });

  it("breaks off with a server that dies; what was said is kept and can be answered again", async () => {
    const { tab, context } = await newChat();
    await say(tab, "Do not lose this.");
    await writing(tab).getByText("word2").waitFor();
    await restart("SIGKILL");
    await tab.getByText("Connection lost").waitFor({ state: "detached" });
    await writing(tab).waitFor({ state: "detached" });
    const said = tab.locator(".message.user", { hasText: "Do not lose this." });
    await said.waitFor();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await eventually(() => tab.getByRole("alert").count()).toBe(0);
    await say(tab, "Again, please.");
    await answered(tab).waitFor();
    await context.close();
  });
});

/** Ends the server and starts another one on the same port and the same store. */
async function restart(signal: NodeJS.Signals): Promise<void> {
  const { port } = new URL(serve.url);
  await serve.stop(signal);
  serve = await start(port);
}

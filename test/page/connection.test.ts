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
const EVERY_MS = 40;
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

/** A chat whose answers stop in the middle until the model may go on. */
async function newChat(): Promise<Opened> {
  model.hold();
  const opened = await openPage(browser, serve.url);
  await opened.tab.getByRole("button", { name: /^Start a chat/ }).click();
  await opened.tab.waitForURL(/\/c\//);
  return opened;
}

const writing = (tab: Page) => tab.locator(".message.assistant.writing");
const answered = (tab: Page) => tab.locator(".message.assistant:not(.writing)", { hasText: LAST });
/** Everything that comes before the model is held. */
const HELD = "word5";

describe("an answer that is being written", () => {
  it("is still there after a reload, grows on, and is there to its end", async () => {
    const { tab, context, faults } = await newChat();
    await say(tab, "Write on, please.");
    await writing(tab).getByText(HELD).waitFor();
    await tab.reload();
    await tab.locator(".message.user", { hasText: "Write on, please." }).waitFor();
    await writing(tab).getByText(HELD).waitFor();
    model.goOn();
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
    await writing(other).getByText(HELD).waitFor();
    await other.getByRole("button", { name: "Stop" }).click();
    for (const page of [tab, other]) {
      await page.getByRole("button", { name: "Send" }).waitFor();
      await page.locator(".message.assistant:not(.writing)", { hasText: HELD }).waitFor();
      expect(await answered(page).count()).toBe(0);
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  it("is not lost with the network: offline, and back", async () => {
    const { tab, context, faults } = await newChat();
    await say(tab, "Through the tunnel.");
    await writing(tab).getByText(HELD).waitFor();
    await context.setOffline(true);
    await tab.getByText("Connection lost").waitFor();
    model.goOn();
    await context.setOffline(false);
    await tab.getByText("Connection lost").waitFor({ state: "detached" });
    await answered(tab).waitFor();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await eventually(() => tab.getByRole("alert").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("is written to its end by a server that is told to stop; the page goes on with the next one", async () => {
    const { tab, context } = await newChat();
    await say(tab, "One more before you go.");
    await writing(tab).getByText(HELD).waitFor();
    const restarted = restart("SIGTERM");
    model.goOn();
    await restarted;
    await answered(tab).waitFor();
    await tab.getByText("Connection lost").waitFor({ state: "detached" });
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await say(tab, "Still there?");
    await eventually(() => answered(tab).count()).toBe(2);
    await context.close();
  });

  it("breaks off with a server that dies; what was said is kept and the talk goes on", async () => {
    const { tab, context } = await newChat();
    await say(tab, "Do not lose this.");
    await writing(tab).getByText(HELD).waitFor();
    await restart("SIGKILL");
    await tab.getByText("Connection lost").waitFor({ state: "detached" });
    await writing(tab).waitFor({ state: "detached" });
    await tab.locator(".message.user", { hasText: "Do not lose this." }).waitFor();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await eventually(() => tab.getByRole("alert").count()).toBe(0);
    model.goOn();
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

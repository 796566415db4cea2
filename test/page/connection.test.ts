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
const LAST = WORDS.at(-1)!;
let model: TrickleProvider;
let serve: ServeProcess;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "precis-page-"));
  model = await startTrickleProvider({ words: WORDS });
  [serve, browser] = await Promise.all([start(), connect()]);
});
afterAll(async () => {
  await serve?.stop();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (port = "0") =>
  startServe(["--upstream", model.url, "--window", "8000"], { db: join(folder, "page.db"), port });

/** A chat whose answers stop in the middle until the model may go on. */
async function newChat(clock: "its own" | "the test's" = "its own"): Promise<Opened> {
  model.hold();
  const isTests = clock === "the test's";
  const opened = await openPage(browser, serve.url, { ownContext: isTests });
  if (isTests) await opened.context.clock.install();
  await opened.tab.getByRole("button", { name: "New chat" }).click();
  await opened.tab.waitForURL(/\/c\//);
  return opened;
}

/** A page asks for a lost server again at least so often (`LONGEST_WAIT_MS` in web/src/state/live.ts). */
const LONGEST_WAIT_MS = 5_000;
/** Lets the time pass that a page may wait before it asks again; the page's clock must be the test's. */
const longestWait = (tab: Page) => tab.clock.fastForward(LONGEST_WAIT_MS);

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
    const { tab, context } = await newChat("the test's");
    await say(tab, "One more before you go.");
    await writing(tab).getByText(HELD).waitFor();
    const restarted = restart("SIGTERM");
    model.goOn();
    await restarted;
    await longestWait(tab);
    await answered(tab).waitFor();
    await tab.getByText("Connection lost").waitFor({ state: "detached" });
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await say(tab, "Still there?");
    await eventually(() => answered(tab).count()).toBe(2);
    await context.close();
  });

  it("stays with a mark when the model breaks off; trying again, also after a reload, puts the whole one in its place", async () => {
    const { tab, context, faults } = await newChat();
    await say(tab, "Tell me all of it.");
    await writing(tab).getByText(HELD).waitFor();
    model.cut();
    const broken = tab.locator(".message.assistant:not(.writing)", { hasText: HELD });
    await broken.locator(".tag", { hasText: "Interrupted" }).waitFor();
    await tab
      .getByRole("alert")
      .getByText(/^The upstream (\S+ )?broke off/)
      .waitFor();
    await tab.reload();
    await broken.locator(".tag", { hasText: "Interrupted" }).waitFor();
    const chat = tab.url();
    model.goOn();
    await tab.getByRole("button", { name: "Try again" }).click();
    await answered(tab).waitFor();
    expect(tab.url()).toBe(chat);
    expect(await tab.locator(".message.assistant").count()).toBe(1);
    expect(await tab.getByText("Interrupted").count()).toBe(0);
    await eventually(() => tab.getByRole("alert").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("is marked when a person stops it, and can be asked for again", async () => {
    const { tab, context, faults } = await newChat();
    await say(tab, "Not so much, please.");
    await writing(tab).getByText(HELD).waitFor();
    await tab.getByRole("button", { name: "Stop" }).click();
    await tab.locator(".message.assistant .tag", { hasText: "Stopped" }).waitFor();
    await tab.reload();
    await tab.locator(".message.assistant .tag", { hasText: "Stopped" }).waitFor();
    model.goOn();
    await tab.getByRole("button", { name: "Try again" }).click();
    await answered(tab).waitFor();
    expect(await tab.locator(".message.assistant").count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("breaks off with a server that dies; what was said is kept and the talk goes on", async () => {
    const { tab, context } = await newChat("the test's");
    await say(tab, "Do not lose this.");
    await writing(tab).getByText(HELD).waitFor();
    await restart("SIGKILL");
    await longestWait(tab);
    await tab.getByText("Connection lost").waitFor({ state: "detached" });
    await writing(tab).waitFor({ state: "detached" });
    await tab.locator(".message.user", { hasText: "Do not lose this." }).waitFor();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    await eventually(() => tab.getByRole("alert").count()).toBe(0);
    // The server never stored what it had of the answer: the page kept what a person has read.
    await tab.reload();
    await tab.locator(".message.cut", { hasText: HELD }).getByText("Interrupted").waitFor();
    model.goOn();
    await tab.getByRole("button", { name: "Try again" }).click();
    await answered(tab).waitFor();
    expect(await tab.locator(".message.assistant").count()).toBe(1);
    await context.close();
  });
});

describe("what is typed without a connection", () => {
  it("waits in sight, over a reload and in two tabs, and goes out once as soon as the server is back", async () => {
    const { tab, context } = await newChat("the test's");
    model.goOn();
    await say(tab, "The first of two.");
    await answered(tab).waitFor();
    await tab.getByRole("button", { name: "Send" }).waitFor();
    const other = await context.newPage();
    await other.goto(tab.url());
    await answered(other).waitFor();
    const { port } = new URL(serve.url);
    await serve.stop("SIGKILL");
    await tab.getByText("Connection lost").waitFor();
    await say(tab, "Said in a tunnel.");
    const unsent = (page: Page) => page.locator(".message.unsent", { hasText: "Said in a tunnel." });
    await unsent(tab).getByText("it is sent automatically").waitFor();
    await unsent(other).waitFor();
    serve = await start(port);
    await longestWait(tab);
    await eventually(() => answered(tab).count()).toBe(2);
    await longestWait(other);
    await eventually(() => answered(other).count()).toBe(2);
    for (const page of [tab, other]) {
      await unsent(page).waitFor({ state: "detached" });
      expect(await page.locator(".message.user", { hasText: "Said in a tunnel." }).count()).toBe(1);
    }
    await tab.reload();
    await eventually(() => answered(tab).count()).toBe(2);
    expect(await tab.locator(".message.user", { hasText: "Said in a tunnel." }).count()).toBe(1);
    await context.close();
  });

  it("goes back into the box if the person wants it there", async () => {
    const { tab, context } = await newChat();
    await context.setOffline(true);
    await say(tab, "On second thought");
    await tab.getByRole("button", { name: "Back to the message box" }).click();
    expect(await tab.getByRole("textbox", { name: "Message" }).inputValue()).toBe("On second thought");
    await tab.locator(".message.unsent").waitFor({ state: "detached" });
    await context.setOffline(false);
    await context.close();
  });
});

it.each([
  ["Inspect", ".inspect-numbers"],
  ["Timeline", ".timeline"],
])("%s that is looked at while the server is away says so, and comes by itself", async (name, part) => {
  const { tab, context } = await newChat("the test's");
  model.goOn();
  await say(tab, "Write on, please.");
  await answered(tab).waitFor();
  const { port } = new URL(serve.url);
  await serve.stop("SIGKILL");
  await tab.getByRole("link", { name }).click();
  await tab.locator("main").getByText("The server can't be reached.").waitFor();
  expect(await tab.getByText("Something went wrong on this page.").count()).toBe(0);
  serve = await start(port);
  await longestWait(tab);
  await tab.locator(part).first().waitFor();
  await context.close();
});

/** Ends the server and starts another one on the same port and the same store. */
async function restart(signal: NodeJS.Signals): Promise<void> {
  const { port } = new URL(serve.url);
  await serve.stop(signal);
  serve = await start(port);
}

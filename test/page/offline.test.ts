/** Without any model: examples, files, the offline assistant, replay, comparison; large conversations. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { serveHere } from "../gateway/serve-here.ts";
import { drop, eventually, meterOf } from "./support/actions.ts";
import { openPage, servedPage } from "./support/browser.ts";
import { openExample } from "./support/example.ts";

const world = servedPage();

describe("without a model", () => {
  it("opens an example, says what the assistant is, quotes, compacts, and goes on", async () => {
    const { tab, faults, context } = await openExample(world.browser, world.serve.url);
    expect(await tab.locator(".offline-note").textContent()).toContain("isn't a language model");
    // Tokens are counted in one place, the meter: another figure beside it would contradict it.
    expect(await tab.locator(".item.here .item-facts").textContent()).toMatch(/^283 messages · [^·]+$/);
    expect(await tab.locator("h1").textContent()).toBe("Example: the parcel tracker");
    // It opens at its point, and says in one sentence what it is.
    const guide = tab.locator(".notice.done");
    expect(await guide.textContent()).toMatch(
      /\d+ older messages are now a summary: [\d,]+ → [\d,]+ tokens\./,
    );
    await tab.locator(".divider-head").click();
    await tab.locator(".summary-read", { hasText: "What you said" }).waitFor();
    // The summary quotes the beginning of the first request; a person reads all of it.
    await tab
      .locator(".summary-read", { hasText: "put them into .env.example so nobody has to guess" })
      .waitFor();
    await tab.getByRole("button", { name: "As sent" }).click();
    await tab.locator(".summary-text", { hasText: "<conversation-summary>" }).waitFor();
    const box = tab.getByRole("textbox", { name: "Message" });
    await box.fill("What did I say about VACUUM?");
    await box.press("Enter");
    const answer = tab.locator(".message.assistant:not(.writing)", {
      hasText: "I can only quote this conversation",
    });
    await answer.waitFor();
    expect(await answer.textContent()).toContain("No VACUUM in the purge");
    // Whoever has read the summary isn't told of it any longer.
    expect(await tab.locator(".notice.done").count()).toBe(0);
    await tab.locator(".meter.green").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("offers an example, a model and a file, in this order; the assistant answers a greeting by what it is", async () => {
    const { tab, faults, context } = await openPage(world.browser, world.serve.url);
    await tab.getByRole("button", { name: /^Add a model/ }).waitFor();
    expect(await tab.locator(".home h2").allTextContents()).toEqual([
      "Try an example",
      "Connect a model",
      "Open a file",
    ]);
    await tab.getByRole("button", { name: /^Start a chat/ }).click();
    const box = tab.getByRole("textbox", { name: "Message" });
    await box.fill("Hello!");
    await box.press("Enter");
    const answer = tab.locator(".message.assistant:not(.writing)", { hasText: "I'm the offline assistant" });
    expect(await answer.textContent()).toContain("connect a model");
    expect(faults).toEqual([]);
    await context.close();
  });

  it("shows the summary that code made, and why its words can't be edited", async () => {
    // A server of its own: where the example was opened before, it is opened as it was then.
    const other = await serveHere([]);
    const { tab, faults, context } = await openPage(world.browser, other.url);
    await tab.getByRole("button", { name: /^Coding session/ }).click();
    const head = tab.locator(".divider-head");
    await head.click();
    await tab.locator(".summary-read", { hasText: "What you said" }).waitFor();
    // No model wrote it: that is why there is nothing to edit.
    await tab.locator(".divider").getByText("This can't be edited").waitFor();
    expect(faults).toEqual([]);
    await context.close();
    await other.stop();
  });

  it("replays the conversation on the timeline", async () => {
    const { tab, faults, context } = await openExample(world.browser, world.serve.url);
    await tab.getByRole("link", { name: "Timeline" }).click();
    await tab.locator(".chart canvas").waitFor();
    const facts = tab.locator(".point-facts strong");
    const end = await facts.textContent();
    await tab.getByRole("slider").press("Home");
    expect(await facts.textContent()).not.toBe(end);
    const start = await facts.textContent();
    await tab.getByRole("slider").press("ArrowRight");
    expect(await facts.textContent()).not.toBe(start);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("compares strategies side by side", async () => {
    const { tab, faults, context } = await openExample(world.browser, world.serve.url);
    const id = new URL(tab.url()).pathname.split("/")[2];
    await tab.goto(`${world.serve.url}/compare/${id}`);
    await tab.getByRole("button", { name: "Replay", exact: true }).click();
    await tab.locator(".run-card").nth(2).waitFor();
    expect(await tab.locator(".run-card h2").allTextContents()).toEqual([
      "Summarise oldest",
      "Keep start and end",
      "Truncate oldest",
    ]);
    expect(await tab.locator(".run-card").first().textContent()).toMatch(/\d+ % less/);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("opens a dropped file, and says what is wrong with a wrong one", async () => {
    const { tab, faults, context } = await openPage(world.browser, world.serve.url);
    await drop(tab, "main", { name: "shopping.txt", text: "milk, bread, eggs" });
    await tab.getByRole("alert").waitFor();
    const said = await tab.getByRole("alert").textContent();
    expect(said).toContain("shopping.txt: line 1: this is plain text");
    expect(said).toContain("Choose another file");
    expect(said).not.toMatch(/--[a-z]|precis:/);
    const text = JSON.stringify([
      { role: "user", content: "Dropped hello" },
      { role: "assistant", content: "Dropped answer" },
    ]);
    await drop(tab, "main", { name: "chat.json", text });
    await tab.getByText("Dropped answer").waitFor();
    const packed = gzipSync(text.replaceAll("Dropped", "Packed")).toString("base64");
    await drop(tab, "main", { name: "chat.json.gz", base64: packed });
    await tab.getByText("Packed answer").waitFor();
    await drop(tab, "main", { name: "one.jsonl", text: '{"role":"user","content":"The only words."}' });
    await tab.locator(".message.user", { hasText: "The only words." }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** About 45,000 tokens, without a model unless one is named. */
const longFile = (model?: string, messages = 60) => ({
  name: "long.json",
  text: JSON.stringify({
    ...(model !== undefined && { model }),
    messages: Array.from({ length: messages }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `Message ${n}: ${"the shed key hangs behind the blue door, ".repeat(80)}`,
    })),
  }),
});

describe("a long file without a model that could answer", () => {
  it.each([
    ["names no model", undefined],
    ["names a model that nobody knows", "mystery-7b"],
  ])("isn't judged by a guessed window where no server is there and it %s", async (_, model) => {
    const { tab, faults, context } = await openPage(world.browser, world.serve.url);
    await drop(tab, "main", longFile(model));
    await tab.getByRole("button", { name: "See it in 32k" }).waitFor();
    expect(await meterOf(tab)).toMatch(/^Tokens: \d\d,\d{3}$/);
    expect(await tab.getByText(/don't fit|Do it now|8,192/).count()).toBe(0);
    const box = tab.getByRole("textbox", { name: "Message" });
    await box.fill("Where is the shed key?");
    await box.press("Enter");
    await tab.getByText("I can only quote this conversation").waitFor();
    expect(await tab.locator(".divider, .notice.done").count()).toBe(0);
    await tab.locator(".meter-line").click();
    expect(await tab.locator(".meter-card").textContent()).toContain("no window is known");
    expect(faults).toEqual([]);
    await context.close();
  });

  it("takes the model that would answer, and its window, also when it is opened by its address", async () => {
    const provider = await startFakeProvider({ models: ["gpt-4o", "gpt-4"], reply: () => "Here I am." });
    const serve = await serveHere(["--upstream", provider.url]);
    const { tab, faults, context } = await openPage(world.browser, serve.url);
    await drop(tab, "main", longFile());
    await eventually(() => meterOf(tab)).toMatch(/ \/ 117,248 \(\d\d %\)$/);
    expect(await tab.getByLabel("Model", { exact: true }).inputValue()).toBe("gpt-4o");
    expect(await tab.getByText(/don't fit|Do it now/).count()).toBe(0);
    const imported = await fetch(`${serve.url}/api/import`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(longFile(undefined, 62)),
    });
    const { conversations } = (await imported.json()) as { conversations: { id: string }[] };
    await tab.goto(`${serve.url}/c/${conversations[0]?.id}`);
    await eventually(() => meterOf(tab)).toMatch(/ \/ 117,248 \(\d\d %\)$/);
    expect(provider.requests.filter(({ path }) => !path.endsWith("/models"))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
    await serve.stop();
    await provider.close();
  });
});

describe("a conversation of 20,000 messages", () => {
  it("opens at its end and scrolls", async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) =>
      JSON.stringify({ role: n % 2 === 0 ? "user" : "assistant", content: `Message number ${n} of many.` }),
    );
    const imported = await fetch(`${world.serve.url}/api/import`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "many.jsonl", text: lines.join("\n") }),
    });
    const { conversations } = (await imported.json()) as { conversations: { id: string }[] };
    const { tab, faults, context } = await openPage(
      world.browser,
      `${world.serve.url}/c/${conversations[0]?.id}`,
    );
    await tab.getByText("Message number 19999 of many.").waitFor();
    expect(await tab.locator(".row-frame").count()).toBeLessThan(60);
    await tab.locator(".transcript").evaluate((list) => list.scrollTo(0, 0));
    await tab.locator(".message.user", { hasText: "Message number 0 of many." }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe("models", () => {
  it("are added on the page: tested, used in a chat, and removed; a file in a large window is seen in a small one", async () => {
    const provider = await startFakeProvider({ models: ["gpt-4o"], reply: () => "Here I am." });
    const { tab, faults, context } = await openPage(world.browser, `${world.serve.url}/settings`);
    await tab.getByLabel("Address").fill("htp:/wrong");
    await tab.getByLabel("Key", { exact: true }).focus();
    await tab.getByText("This isn't a URL.").waitFor();
    expect(await tab.getByRole("button", { name: "Test" }).isDisabled()).toBe(true);
    await tab.getByLabel("Address").fill("http://127.0.0.1:9/v1");
    await tab.getByRole("button", { name: "Test" }).click();
    await tab.getByText("Check its address and that it is running.").waitFor();
    await tab.getByLabel("Address").fill(provider.url);
    await tab.getByLabel("Key", { exact: true }).fill("sk-typed-on-the-page");
    await tab.getByRole("button", { name: "Test" }).click();
    await tab.getByText("It lists 1 model.", { exact: false }).waitFor();
    await tab.getByRole("button", { name: "Add", exact: true }).click();
    await tab.getByRole("button", { name: /^Remove / }).waitFor();
    expect(await tab.content()).not.toContain("sk-typed-on-the-page");
    await tab.goto(world.serve.url);
    // With a model there is one thing to begin with.
    const box = tab.getByRole("textbox", { name: "Message" });
    expect(await box.getAttribute("placeholder")).toContain("gpt-4o");
    await box.fill("Are you there?");
    // What the server doesn't take stays in the box.
    await tab.route("**/api/conversations", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await box.press("Enter");
    await tab.getByRole("alert").waitFor();
    expect(await box.inputValue()).toBe("Are you there?");
    await tab.unroute("**/api/conversations");
    await box.press("Enter");
    await tab.waitForURL(/\/c\//);
    await tab.locator(".message.assistant:not(.writing)", { hasText: "Here I am." }).waitFor();
    const lines = Array.from({ length: 60 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `Message ${n}: ${"the shed key hangs behind the blue door, ".repeat(60)}`,
    }));
    await drop(tab, "main", {
      name: "long.json",
      text: JSON.stringify({ model: "gpt-4o", messages: lines }),
    });
    await tab.getByRole("button", { name: "See it in 32k" }).click();
    await tab.locator(".notice.done", { hasText: "older messages are now a summary" }).waitFor();
    await tab.goto(`${world.serve.url}/settings`);
    await tab.getByRole("button", { name: /^Remove / }).click();
    await tab.getByRole("button", { name: "Remove it" }).click();
    await tab.getByText("and so was its key").waitFor();
    expect(faults).toEqual([]);
    await context.close();
    await provider.close();
  });
});

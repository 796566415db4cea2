/** Without any model: examples, files, the offline assistant, replay, comparison; large conversations. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServeHere, serveHere } from "../gateway/serve-here.ts";
import { drop } from "./support/actions.ts";
import { connect, openPage } from "./support/browser.ts";
import { openExample } from "./support/example.ts";

let serve: ServeHere;
let browser: Browser;

beforeAll(async () => {
  [serve, browser] = await Promise.all([serveHere([]), connect()]);
});

afterAll(async () => {
  await browser?.close();
  await serve?.stop();
});

describe("without a model", () => {
  it("opens an example, says what the assistant is, quotes, compacts, and goes on", async () => {
    const { tab, faults, context } = await openExample(browser, serve.url);
    expect(await tab.locator(".offline-note").textContent()).toContain("not a language model");
    // Tokens are counted in one place, the meter: another figure beside it would contradict it.
    expect(await tab.locator(".item.here .item-facts").textContent()).toMatch(/^283 messages · [^·]+$/);
    const box = tab.getByRole("textbox", { name: "Message" });
    await box.fill("What did I say about VACUUM?");
    await box.press("Enter");
    const answer = tab.locator(".message.assistant:not(.writing)", {
      hasText: "I can only quote this conversation",
    });
    await answer.waitFor();
    expect(await answer.textContent()).toContain("No VACUUM in the purge");
    await tab.locator(".notice.done").waitFor();
    await tab.locator(".meter.green").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("replays the conversation on the timeline", async () => {
    const { tab, faults, context } = await openExample(browser, serve.url);
    await tab.getByRole("link", { name: "Timeline" }).click();
    await tab.locator(".chart canvas").waitFor();
    const facts = tab.locator(".point-facts strong");
    const end = await facts.textContent();
    await tab.getByRole("slider").press("Home");
    expect(await facts.textContent()).not.toBe(end);
    const start = await facts.textContent();
    await tab.getByRole("button", { name: "One turn on" }).click();
    expect(await facts.textContent()).not.toBe(start);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("compares strategies side by side", async () => {
    const { tab, faults, context } = await openExample(browser, serve.url);
    const id = new URL(tab.url()).pathname.split("/")[2];
    await tab.goto(`${serve.url}/compare/${id}`);
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
    const { tab, faults, context } = await openPage(browser, serve.url);
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
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe("a conversation of 20,000 messages", () => {
  it("opens at its end and scrolls", async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) =>
      JSON.stringify({ role: n % 2 === 0 ? "user" : "assistant", content: `Message number ${n} of many.` }),
    );
    const imported = await fetch(`${serve.url}/api/import`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "many.jsonl", text: lines.join("\n") }),
    });
    const { conversations } = (await imported.json()) as { conversations: { id: string }[] };
    const { tab, faults, context } = await openPage(browser, `${serve.url}/c/${conversations[0]?.id}`);
    await tab.getByText("Message number 19999 of many.").waitFor();
    expect(await tab.locator(".row-frame").count()).toBeLessThan(60);
    await tab.locator(".transcript").evaluate((list) => list.scrollTo(0, 0));
    await tab.locator(".message.user", { hasText: "Message number 0 of many." }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

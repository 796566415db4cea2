import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigError, ModelError } from "../core/errors.ts";
import type { ModelRequest } from "../core/types.ts";
import { mailbox } from "./mailbox.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "precis-mailbox-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const POLL_MS = 5;
const box = () => mailbox({ dir, pollMs: POLL_MS });
const ask = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  name: "try it",
  system: "Answer shortly.",
  messages: [{ role: "user", text }],
  cap: 50,
  ...more,
});
const open = (): string[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith(".request.json"))
    .map((name) => name.replace(".request.json", ""))
    .sort();

/** Waits until so many requests lie in the folder. */
async function requests(count: number): Promise<string[]> {
  for (;;) {
    const stems = open();
    if (stems.length >= count) return stems;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function answer(stem: string, text: string, ending = ".reply.txt"): void {
  writeFileSync(join(dir, "draft"), text);
  renameSync(join(dir, "draft"), join(dir, `${stem}${ending}`));
}

test("a request is a file that says all, and its reply file is the answer", async () => {
  const model = box();
  const reply = model.complete(ask("What is 6 × 7?"));
  const [stem = ""] = await requests(1);
  expect(stem).toMatch(/^0001-try-it-\w+$/);
  const text = readFileSync(join(dir, `${stem}.request.txt`), "utf8");
  expect(text).toContain(`Answer in ${stem}.reply.txt, with at most 50 tokens.`);
  expect(text).toContain("=== system ===\nAnswer shortly.\n\n=== user ===\nWhat is 6 × 7?");
  expect(JSON.parse(readFileSync(join(dir, `${stem}.request.json`), "utf8"))).toEqual({
    name: "try it",
    reply: `${stem}.reply.txt`,
    cap: 50,
    system: "Answer shortly.",
    messages: [{ role: "user", text: "What is 6 × 7?" }],
  });
  expect(readFileSync(join(dir, "README.txt"), "utf8")).toContain("NAME.reply.txt");
  answer(stem, "42\n");
  expect(await reply).toEqual({ text: "42", stop: "end", usage: { input: 0 } });
  expect(readdirSync(dir).sort()).toEqual(["README.txt", "done"]);
  expect(readdirSync(join(dir, "done"))).toHaveLength(3);
});

test("words of a conversation are their owner's alone", async () => {
  const reply = box().complete(ask("secret"));
  const [stem = ""] = await requests(1);
  for (const name of [`${stem}.request.txt`, `${stem}.request.json`])
    expect(statSync(join(dir, name)).mode & 0o077).toBe(0);
  answer(stem, "fine");
  await reply;
});

test("a JSON reply brings usage, the reason for stopping and who answered", async () => {
  const reply = box().complete(ask("a"));
  const [stem = ""] = await requests(1);
  const value = { text: "half", stop: "length", usage: { input: 12, output: 3 }, model: "ada" };
  answer(stem, JSON.stringify(value), ".reply.json");
  expect(await reply).toEqual({
    text: "half",
    stop: "length",
    usage: { input: 12, output: 3 },
    model: "ada",
  });
});

test.each([
  ['{"error":"no time today"}', "refused", /no time today/],
  ["not json", "bad-answer", /isn't a JSON object/],
  ['{"answer":"x"}', "bad-answer", /has no "text"/],
])("a reply that is no answer fails the request and leaves: %s", async (text, failure, message) => {
  const reply = box().complete(ask("a"));
  const [stem = ""] = await requests(1);
  answer(stem, text, ".reply.json");
  await expect(reply).rejects.toMatchObject({ failure, retryable: false });
  await expect(reply).rejects.toThrow(message);
  expect(open()).toEqual([]);
});

test("requests at the same time keep their own replies, the same one twice too", async () => {
  const model = box();
  const replies = ["a", "b", "a"].map((text) => model.complete(ask(text)));
  const stems = await requests(3);
  expect(new Set(stems).size).toBe(3);
  for (const [index, stem] of stems.entries()) answer(stem, `${index}`);
  expect((await Promise.all(replies)).map((reply) => reply.text)).toEqual(["0", "1", "2"]);
});

test("a reply that somebody is still writing isn't taken half", async () => {
  const reply = box().complete(ask("a"));
  const [stem = ""] = await requests(1);
  const file = join(dir, `${stem}.reply.txt`);
  writeFileSync(file, "");
  let text = "";
  for (const word of ["The ", "whole ", "answer"]) {
    text += word;
    answer(stem, text);
  }
  expect((await reply).text).toBe("The whole answer");
});

test("a request that is cancelled disappears, and its late reply serves the same request", async () => {
  const stop = new AbortController();
  const reply = box().complete(ask("a", { signal: stop.signal }));
  const [stem = ""] = await requests(1);
  stop.abort();
  await expect(reply).rejects.toMatchObject({ failure: "cancelled", retryable: false });
  expect(open()).toEqual([]);
  answer(stem, "late");
  expect((await box().complete(ask("a"))).text).toBe("late");
  expect(readdirSync(dir).sort()).toEqual(["README.txt", "done"]);
});

test("a request that a killed process left is waited for, not asked again", async () => {
  const left = box().complete(ask("a"));
  left.catch(() => undefined);
  const [stem = ""] = await requests(1);
  // Another process knows nothing of the first one's request.
  const again = box().complete(ask("a"));
  await box()
    .complete(ask("b", { signal: AbortSignal.timeout(POLL_MS * 10) }))
    .catch(() => undefined);
  expect(open()).toEqual([stem]);
  answer(stem, "once");
  expect((await again).text).toBe("once");
  expect((await left).text).toBe("once");
});

test("an answered request is asked anew: a second trial is a second answer", async () => {
  const model = box();
  for (const text of ["first", "second"]) {
    const reply = model.complete(ask("a"));
    const [stem = ""] = await requests(1);
    answer(stem, text);
    expect((await reply).text).toBe(text);
  }
});

test("no reply in time is a time-out that may be tried again", async () => {
  const model = mailbox({ dir, pollMs: POLL_MS, timeoutMs: POLL_MS * 4 });
  await expect(model.complete(ask("a"))).rejects.toMatchObject({ failure: "timeout", retryable: true });
  expect(open()).toEqual([]);
});

test("a folder that can't be made is told with its name", async () => {
  const file = join(dir, "file");
  writeFileSync(file, "");
  chmodSync(file, 0o400);
  const failure = mailbox({ dir: join(file, "inner") }).complete(ask("a"));
  await expect(failure).rejects.toThrow(ModelError);
  await expect(failure).rejects.toThrow(/file\/inner can't be used/);
  expect(existsSync(join(file, "inner"))).toBe(false);
});

test("names can't leave the folder, and wrong options are refused", async () => {
  const reply = box().complete(ask("a", { name: "../../etc/passwd" }));
  const [stem = ""] = await requests(1);
  expect(stem).toMatch(/^0001-etc-passwd-\w+$/);
  answer(stem, "x");
  await reply;
  for (const wrong of [{ dir: " " }, { dir, pollMs: 0 }, { dir, window: 1.5 }, { dir, timeoutMs: -1 }])
    expect(() => mailbox(wrong)).toThrow(ConfigError);
});

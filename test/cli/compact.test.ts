import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import type { Report } from "../../src/core/types.ts";
import { gardenChat, runCli, runCliProcess, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(folder.remove);

interface Output {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly system?: unknown;
  readonly report: Report;
}
const parse = (stdout: string): Output => JSON.parse(stdout) as Output;
const chat = gardenChat(100);

test("fits the budget and keeps head and last user message as they are", async () => {
  const { code, stdout, stderr } = await runCliProcess(["compact", "-", "--budget", "2k"], {
    stdin: JSON.stringify(chat),
  });
  const { messages, report } = parse(stdout);
  expect([code, stderr]).toEqual([0, ""]);
  expect(report.outcome).toBe("compacted");
  expect(report.tokens.transcript).toBeGreaterThan(4_000);
  expect(report.tokens.after).toBeLessThanOrEqual(2_000);
  expect(messages[0]).toEqual(chat[0]);
  expect(messages.at(-1)).toEqual(chat.at(-1));
  expect(messages.some(({ content }) => String(content).includes("conversation-summary"))).toBe(true);
});

test("a share of the transcript, a gzip file, one message per line", async () => {
  const file = folder.path("chat.jsonl.gz");
  writeFileSync(file, gzipSync(chat.map((message) => JSON.stringify(message)).join("\n")));
  const { code, stdout } = await runCli(["compact", file, "--budget", "25%", "--json"]);
  const { report } = parse(stdout);
  expect(code).toBe(0);
  expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.transcript * 0.25);
  expect(report.tokens.after).toBeGreaterThan(report.tokens.transcript * 0.1);
  // No window was named, so the report names none, and no room for an answer that would follow from one.
  expect(Object.keys(report.budget)).toEqual(["tools", "budget", "head", "room"]);
  expect(report).not.toHaveProperty("answer");
});

test("strategy, profile, focus and model are handed on", async () => {
  const stdin = JSON.stringify(chat);
  const args = ["compact", "-", "--budget", "2k", "--strategy", "truncate-oldest", "--profile", "rag"];
  const { report } = parse((await runCli(args, { stdin })).stdout);
  expect(report).toMatchObject({ strategy: "truncate-oldest", profile: "rag" });
  expect(report.counts.inserted).toBe(0);
  expect(report.counts.dropped).toBeGreaterThan(0);
  const byModel = parse(
    (await runCli(["compact", "-", "--model", "gpt-4o", "--focus", "bed 7"], { stdin })).stdout,
  );
  expect(byModel.report.budget.window).toBe(128_000);
  expect(byModel.report.outcome).toBe("compacted");
});

test("an Anthropic request keeps its system prompt apart", async () => {
  const request = {
    model: "claude-sonnet-4-5",
    max_tokens: 1_000,
    system: "You help with a garden.",
    messages: chat.slice(1),
  };
  const { stdout } = await runCli(["compact", "-", "--budget", "2k"], { stdin: JSON.stringify(request) });
  const { messages, system, report } = parse(stdout);
  expect(report.dialect).toBe("anthropic-messages");
  expect(system).toBe("You help with a garden.");
  expect(messages[0]?.role).toBe("user");
});

test("small enough already: the very same messages, and it says so", async () => {
  const { code, stdout } = await runCli(["compact", "-", "--budget", "100k"], {
    stdin: JSON.stringify(chat),
  });
  const { messages, report } = parse(stdout);
  expect([code, report.outcome]).toEqual([0, "nothing-to-gain"]);
  expect(messages).toEqual(chat);
});

test("several conversations: listed until one is picked", async () => {
  const stdin = JSON.stringify([
    { id: "first", messages: chat.slice(0, 5) },
    { id: "second", messages: chat },
  ]);
  const listed = await runCli(["compact", "-", "--budget", "2k"], { stdin });
  expect([listed.code, listed.stdout]).toEqual([1, ""]);
  expect(listed.stderr).toMatch(
    /2 conversations \(1: \w.+ \(first\), 5 messages; 2: \w.+ \(second\), 202 messages\).*--pick N/,
  );
  expect(listed.stderr).toContain(
    `(1: ${String(chat.find(({ role }) => role === "user")?.content).slice(0, 10)}`,
  );
  const picked = await runCli(["compact", "-", "--budget", "2k", "--pick", "2"], { stdin });
  expect(parse(picked.stdout).report.outcome).toBe("compacted");
});

test("--out writes a file, tells about it on stderr, and never overwrites what it read", async () => {
  const input = folder.path("chat.json");
  const output = folder.path("view.json");
  const text = JSON.stringify(chat);
  writeFileSync(input, text);
  const done = await runCli(["compact", input, "--budget", "2k", "--out", output]);
  expect([done.code, done.stdout]).toEqual([0, ""]);
  expect(done.stderr).toMatch(/tokens became .* kept, .* shortened, .* summarised, .* left out/s);
  expect(parse(readFileSync(output, "utf8")).report.tokens.after).toBeLessThanOrEqual(2_000);
  const over = await runCli(["compact", input, "--budget", "2k", "--out", input]);
  expect(over.code).toBe(2);
  expect(readFileSync(input, "utf8")).toBe(text);
  const lost = await runCli([
    "compact",
    input,
    "--budget",
    "2k",
    "--out",
    folder.path("no/such/folder.json"),
  ]);
  expect([lost.code, lost.stderr.includes("there is no folder")]).toEqual([1, true]);
});

test("the client's own summary is left out, with a note", async () => {
  const line = (uuid: string, role: string, content: unknown, more = {}) =>
    JSON.stringify({ type: role, uuid, sessionId: "s", message: { role, content }, ...more });
  const stdin = [
    line("1", "user", "Dig the bed."),
    line("2", "assistant", [{ type: "text", text: "Dug." }]),
    line("3", "user", "This session continues from …", { isCompactSummary: true }),
    line("4", "user", "Now water it."),
  ].join("\n");
  const { stdout, stderr } = await runCli(["compact", "-", "--budget", "8k"], { stdin });
  expect(stderr).toBe("precis: left out one summary that the client wrote itself\n");
  expect(parse(stdout).messages.map(({ content }) => content)).toEqual([
    "Dig the bed.",
    [{ type: "text", text: "Dug." }],
    "Now water it.",
  ]);
});

test("--dialect gives an agent's log in another wire format", async () => {
  const line = (uuid: string, role: string, content: unknown) =>
    JSON.stringify({ type: role, uuid, sessionId: "s", message: { role, content } });
  const stdin = [
    line("1", "user", "Which seeds are left?"),
    line("2", "assistant", [{ type: "tool_use", id: "t1", name: "seeds", input: { shelf: 2 } }]),
    line("3", "user", [{ type: "tool_result", tool_use_id: "t1", content: "rye, leek" }]),
    line("4", "assistant", [{ type: "text", text: "Rye and leek." }]),
  ].join("\n");
  const { stdout } = await runCli(["compact", "-", "--budget", "8k", "--dialect", "openai-chat"], { stdin });
  const { messages, report } = parse(stdout);
  expect(report.dialect).toBe("openai-chat");
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(messages[2]).toMatchObject({ tool_call_id: "t1", content: "rye, leek" });
});

test.each([
  ["events", '{"role":"system","time":0,"content":"Watch."}\n{"role":"frames","start":0,"end":8}\n'],
  ["recordings", '{"fps":2,"conversation":[{"role":"user","time":1,"content":"Hello"}]}\n'],
])("a recorded stream of %s is sent to precis stream", async (_, text) => {
  const { code, stderr } = await runCli(["compact", "-", "--budget", "2k"], { stdin: text });
  expect(code).toBe(1);
  expect(stderr).toContain("found a recorded stream, which `precis stream` reads.");
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { chainOf } from "../../src/core/chain.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { gardenChat, runCli, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
const db = folder.path("chats.db");
const TURNS = 30;

beforeAll(async () => {
  const store = sqliteStore({ path: db });
  const [system, ...chat] = gardenChat(TURNS);
  const messages = chat.map((message) => openaiChat.read(message as never));
  const chain = chainOf(messages, 0);
  await store.conversations.append("default", {
    session: "garden",
    title: "Beds and rye",
    dialect: "openai-chat",
    head: JSON.stringify([system]),
    messages: chat.map((message, i) => ({
      hash: chain[i + 1]!,
      role: messages[i]!.role,
      wire: JSON.stringify(message),
      at: i,
    })),
    at: Date.UTC(2026, 0, 2),
  });
  const compactor = createCompactor({ dialect: openaiChat, budget: 600, store });
  const { report } = await compactor.fit([system, ...chat] as never);
  expect(report.outcome).toBe("compacted");
  await compactor.close();
  await store.close();
});
afterAll(() => folder.remove());

test("inspect shows transcript, view, checkpoints and why", async () => {
  const { code, stdout, stderr } = await runCli(["inspect", "garden", "--db", db]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Beds and rye");
  expect(stdout).toMatch(/session garden · conversation .* · openai-chat · 62 messages/);
  expect(stdout.replace(/\s+/g, " ")).toMatch(
    /→ \d+ tokens · because the view was [a-z ]+ · Exact lines, no model · Summarise oldest · budget 600 .* in use/,
  );
  // The numbers are those of the summary message, where the system prompt counts.
  expect(stdout).toMatch(/#1 system +\d+ kept +You help with a garden\./);
  expect(stdout).toMatch(/#5 assistant +\d+ summarised +For bed 1 take rye/);
  expect(stdout).toMatch(/#62 user +\d+ kept +And what about bed 3\?/);
  expect(stdout).toContain("Summary message");
  expect(stdout).toMatch(/#2 user +\d+ summarised +Bed 0: what/);
  expect(stdout).toContain("\n#2 Bed 0: what");
});

test("what inspect says of each message adds up to what it says of all", async () => {
  const { stdout } = await runCli(["inspect", "garden", "--db", db]);
  const [, messages, tokens] = /The transcript: (\d+) messages, ([\d,]+) tokens\./.exec(stdout)!;
  const rows = [...stdout.matchAll(/^ +#\d+ (?:system|user|assistant) +(\d+) /gm)].map(([, size]) =>
    Number(size),
  );
  expect(rows).toHaveLength(Number(messages));
  expect(rows.reduce((sum, one) => sum + one, 0)).toBe(Number(tokens!.replace(",", "")));
});

test("inspect --json has the view as it is sent", async () => {
  const { stdout } = await runCli(["inspect", "garden", "--db", db, "--json"]);
  const { view, transcript } = JSON.parse(stdout) as {
    view: { messages: { role: string; content: string }[] };
    transcript: { message: unknown }[];
  };
  expect(transcript.map(({ message }) => message)).toEqual(gardenChat(TURNS).slice(1));
  expect(view.messages.length).toBeLessThan(40);
  expect(view.messages[0]).toEqual(gardenChat(TURNS)[0]);
  expect(view.messages.at(-1)).toEqual(gardenChat(TURNS).at(-1));
  expect(view.messages.some(({ content }) => content.includes("conversation-summary"))).toBe(true);
});

test("inspect without a session lists; one that isn't there is said", async () => {
  expect((await runCli(["inspect", "--db", db])).stdout).toMatch(/^garden .* 62 messages +Beds and rye/);
  const missing = await runCli(["inspect", "gardn", "--db", db]);
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain("has no session or conversation gardn");
  const nowhere = await runCli(["inspect", "x", "--db", folder.path("none.db")]);
  expect(nowhere).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there is no database") as string,
  });
});

test("inspect tells the branches of one session other", async () => {
  const path = folder.path("branches.db");
  const store = sqliteStore({ path });
  const append = (words: readonly string[], more: object = {}) => {
    const wire = words.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
    const messages = wire.map((message) => openaiChat.read(message as never));
    const chain = chainOf(messages, 0);
    return store.conversations.append("default", {
      session: "plans",
      title: "Plans",
      dialect: "openai-chat",
      messages: wire.map((message, at) => ({
        hash: chain[at + 1]!,
        role: messages[at]!.role,
        wire: JSON.stringify(message),
        at,
      })),
      at: Date.UTC(2026, 0, 2),
      ...more,
    });
  };
  const first = await append(["Plan a trip", "Where to?", "To Oslo", "Fine."]);
  const later = { conversation: first.conversation, at: Date.UTC(2026, 0, 3) };
  const second = await append(["Plan a trip", "Where to?", "To Rome", "Fine."], later);
  const third = await append(["Plan a trip", "Where to?", "To Rome", "Fine.", "By train", "Yes."], {
    conversation: second.conversation,
    at: Date.UTC(2026, 0, 4),
  });
  expect(third.conversation).toBe(first.conversation);
  await append(["Plan a trip", "Where to?", "To Rome", "Fine.", "By plane", "No."], {
    conversation: second.conversation,
    at: Date.UTC(2026, 0, 5),
  });
  const unrelated = await append(["Plan a feast", "When?"], { isNew: true, at: Date.UTC(2026, 0, 1) });
  await store.close();

  const shown = ({ conversation }: { conversation: string }) => conversation.slice(-8);
  const { stdout } = await runCli(["inspect", "plans", "--db", path]);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  const lines = stdout.split("\n");
  const at = lines.indexOf("Branches of session plans");
  expect(lines.slice(at + 1, at + 6)).toEqual([
    `    ${shown(unrelated)}  begins: Plan a feast (2 messages, 2026-01-01 00:00)`,
    `  → ${shown(first)}  begins: Plan a trip (6 messages, 2026-01-05 00:00)`,
    expect.stringMatching(/^ {6}└ \S+ {2}from #3 on: To Oslo$/),
    expect.stringMatching(/^ {6}└ \S+ {2}from #5 on: By train$/),
    "  → is shown here. To see another: precis inspect NAME.",
  ]);
  expect(stdout).toMatch(/#5 user .*By plane/);
  // Another branch by its name, to its end.
  const [, name = ""] = /└ (\S+) {2}from #5 on/.exec(stdout) ?? [];
  expect(name).toMatch(new RegExp(`^${shown(first)}/`));
  const branch = await runCli(["inspect", name, "--db", path]);
  expect(branch.stdout).toMatch(/#5 user .*By train/);
  expect(branch.stdout).toMatch(/#6 assistant .*Yes/);
  expect(branch.stdout).not.toMatch(/#5 user .*By plane/);
  // Another conversation of the session by its own id; the mark moves with it.
  const other = await runCli(["inspect", shown(unrelated), "--db", path]);
  expect(other.stdout).toMatch(new RegExp(`→ ${shown(unrelated)}`));
  expect(other.stdout).toMatch(/#1 user .*Plan a feast/);
  // The list doesn't show one name four times.
  const list = await runCli(["inspect", "--db", path]);
  expect(list.stdout).toMatch(/^plans {2}2026-01-05 00:00 +4 branches {2}Plans\n/);
  expect(list.stdout.match(/plans/g)).toHaveLength(1);
  expect(list.stdout).toMatch(/└ \S+ {2}from #3 on: To Oslo/);
  const json = await runCli(["inspect", "plans", "--json", "--db", path]);
  const { branches } = JSON.parse(json.stdout) as { branches: { id: string; from: number; words: string }[] };
  expect(branches.map(({ id, from, words }) => [id, from, words])).toContainEqual([
    first.conversation,
    3,
    "To Oslo",
  ]);
});

test("an import of nothing makes no database", async () => {
  const made = folder.path("unmade.db");
  const { code, stderr } = await runCli(["db", "import", folder.path("nofile"), "--db", made]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/there is no file .*nofile/);
  expect(existsSync(made)).toBe(false);
});

test("db import gives nobody a key unless it is told to, and says what it did", async () => {
  const source = sqliteStore({ path: folder.path("keys.db") });
  const { key } = await source.clientKeys.create("team", { name: "laptop" });
  const lines: string[] = [];
  for await (const line of source.upkeep.exportAll()) lines.push(line);
  await source.close();
  const backup = folder.path("keys.jsonl");
  writeFileSync(backup, `${lines.join("\n")}\n`);
  const target = folder.path("target.db");
  const verify = async () => {
    const store = sqliteStore({ path: target });
    const found = await store.clientKeys.verify(key);
    await store.close();
    return found?.tenant;
  };
  const without = await runCli(["db", "import", backup, "--db", target]);
  expect(without.stdout).toContain("1 client key left out. --with-keys imports them, too.");
  expect(await verify()).toBeUndefined();
  const taken = await runCli(["db", "import", backup, "--db", target, "--with-keys"]);
  expect(taken.stdout).toContain("This includes 1 client key");
  expect(await verify()).toBe("team");
});

test("db: status, export, import, sweep, vacuum", async () => {
  const status = JSON.parse((await runCli(["db", "status", "--json", "--db", db])).stdout) as object;
  expect(status).toMatchObject({
    kind: "sqlite",
    tenants: 1,
    counts: { conversations: 1, messages: 61, checkpoints: 1 },
  });
  expect((await runCli(["db", "--db", db])).stdout).toMatch(/conversations +1\n/);

  const backup = folder.path("backup.jsonl");
  expect(await runCli(["db", "export", "--out", backup, "--db", db])).toMatchObject({ code: 0, stdout: "" });
  const again = await runCli(["db", "export", "--out", backup, "--db", db]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") as string });
  const { stdout } = await runCli(["db", "export", "--db", db]);
  expect(stdout.split("\n").slice(1)).toEqual(readFileSync(backup, "utf8").split("\n").slice(1));

  const whole = folder.path("whole.db");
  expect(await runCli(["db", "backup", whole, "--db", db])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("is a copy of") as string,
  });
  expect((await runCli(["inspect", "garden", "--db", whole])).stdout).toContain("in use");
  const twice = await runCli(["db", "backup", whole, "--db", db]);
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") as string });

  const copy = folder.path("copy.db");
  const imported = await runCli(["db", "import", backup, "--json", "--db", copy]);
  expect(JSON.parse(imported.stdout)).toMatchObject({ added: 63 });
  expect((await runCli(["inspect", "garden", "--db", copy])).stdout).toContain("in use");

  const kept = folder.path("kept.db");
  await runCli(["db", "import", backup, "--db", kept]);
  const sweepBy = async (conversationDays: string) => {
    const config = folder.path(`${conversationDays}.json`);
    writeFileSync(config, JSON.stringify({ retention: { conversationDays } }));
    return JSON.parse(
      (await runCli(["db", "sweep", "--json", "--config", config, "--db", kept])).stdout,
    ) as object;
  };
  expect(await sweepBy("10000d")).toMatchObject({ conversations: 0 });
  expect(await sweepBy("1d")).toMatchObject({ conversations: 1 });

  const swept = await runCli(["db", "sweep", "--older-than", "1d", "--json", "--db", copy]);
  expect(JSON.parse(swept.stdout)).toMatchObject({ conversations: 1 });
  expect(await runCli(["db", "vacuum", "--db", copy])).toMatchObject({ code: 0 });
  const empty = JSON.parse((await runCli(["db", "status", "--json", "--db", copy])).stdout) as object;
  expect(empty).toMatchObject({ counts: { conversations: 0, messages: 0, bodies: 0, checkpoints: 0 } });
});

test.each([
  [["db", "stats", "--db", db], /Did you mean precis db status/],
  [["db", "import", "--db", db], /needs one FILE/],
  [["db", "backup", "--db", db], /needs one FILE/],
  [["db", "sweep", "--older-than", "soon", "--db", db], /30d/],
  [["db", "sweep", "--older-than", "0d", "--db", db], /would remove everything\. Give an age/],
  [["inspect", "a", "b"], /takes one SESSION/],
])("%j is refused with what to do", async (args, message) => {
  const { code, stderr } = await runCli(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

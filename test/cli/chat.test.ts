/** `precis chat` as scripts use it: the real command line, a real server inside, a fake model over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiPressure, ConversationPage } from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { serveHere } from "../gateway/serve-here.ts";
import { type CliResult, runCli, scratchFolder, startCli } from "./run-cli.ts";

const WINDOW = 4_000;
const folder = scratchFolder();
const NOISE = "Some words about the garden that fill the view. ".repeat(30);
let provider: FakeProvider;

beforeAll(async () => {
  provider = await startFakeProvider({
    window: WINDOW,
    reply: summarizingReply({ otherwise: ({ lastUser }) => `Heard: ${lastUser.slice(0, 30)}` }),
  });
});
afterAll(async () => {
  await provider.close();
  folder.remove();
});

interface Line {
  readonly type: string;
  readonly text?: string;
  readonly tokens?: number;
  readonly pressure?: number;
}

const chat = (lines: readonly string[], ...args: readonly string[]): Promise<CliResult> =>
  runCli(["chat", ...args], { stdin: `${lines.join("\n")}\n` });
const jsonLines = ({ stdout }: CliResult): Line[] =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
const upstream = (): string[] => [
  "--upstream",
  provider.url,
  "--model",
  "gpt-4o",
  "--window",
  String(WINDOW),
];

describe("without a model", () => {
  const db = folder.path("offline.db");

  test("the offline assistant says what it is, and quotes", async () => {
    const { code, stdout, stderr } = await runCli(["chat", "--db", db], {
      stdin: "The pump at Larkfield is a Grundfos 4412.\nWhich pump is at Larkfield?\n",
    });
    expect(code).toBe(0);
    expect(stderr).toContain("isn't a language model");
    expect(stdout).toContain("> “The pump at Larkfield is a Grundfos 4412.”\n\nYou, #1");
    expect(stderr).toMatch(/Tokens: [\d,]+ · offline assistant/);
  });

  test("it goes on where it was, by the beginning of its id, and compacts by itself", async () => {
    const listed = await runCli(["chat", "--db", db, "--list"]);
    const id = /^(\w{8}) .* 4 messages {2}The pump at Larkfield/.exec(listed.stdout)?.[1];
    expect(id).toBeDefined();
    const more = Array.from({ length: 14 }, (_, turn) => `Bed ${turn}: ${NOISE}`);
    const { code, stdout, stderr } = await chat(
      ["/settings window 4k", ...more, "Which pump is at Larkfield?"],
      "--db",
      db,
      "--resume",
      id!,
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/Compacted: [\d,]+ → [\d,]+ tokens, \d+ % full/);
    expect(stdout).toContain("Grundfos 4412");
    expect((await runCli(["chat", "--db", db, "--list"])).stdout.trim().split("\n")).toHaveLength(1);
  });
});

describe("with a model", () => {
  const db = folder.path("model.db");

  test("what the model looks up is told beside its answer, with the numbers of what it found", async () => {
    const recalling = await startFakeProvider({
      window: WINDOW,
      reply: summarizingReply({
        otherwise: ({ tools, messages }) => {
          const last = messages.at(-1)!;
          if (last.role === "tool") return `Found: ${/heron-\d+/.exec(last.text)?.[0]}`;
          return tools.length > 0 && last.text.includes("vault code?")
            ? { calls: [{ name: "precis_recall", args: { query: "vault code" } }] }
            : "Heard.";
        },
      }),
    });
    const args = ["--upstream", recalling.url, "--model", "gpt-4o", "--window", String(WINDOW)];
    const { code, stdout, stderr } = await chat(
      [
        "The vault code is heron-4711.",
        ...Array.from({ length: 6 }, (_, turn) => `Bed ${turn}: ${NOISE}`),
        "/settings tools recall",
        "/settings",
        "/compact",
        "What is the vault code?",
      ],
      ...args,
      "--db",
      folder.path("looked-up.db"),
    );
    await recalling.close();
    expect(stderr).not.toContain("failed");
    expect(code).toBe(0);
    expect(stdout).toContain("Found: heron-4711");
    expect(stdout).not.toContain("precis_recall");
    expect(stdout).toMatch(/tools +recall \(this chat\)/);
    expect(stderr).toMatch(/Looked up: vault code, \d+ passages? \(#1[,)]/);
  });

  test("answers on stdout alone; compaction, pin, view and undo by command", async () => {
    const turns = Array.from({ length: 4 }, (_, turn) => `Item ${turn}: ${NOISE}`);
    const { code, stdout, stderr } = await chat(
      [...turns, "/pin 1", "/compact item 2", "/view", "/undo", "/undo"],
      ...upstream(),
      "--db",
      db,
    );
    expect(code).toBe(0);
    const [first, second, third, fourth, ...view] = stdout.split("\n");
    expect([first, second, third, fourth]).toEqual(
      [0, 1, 2, 3].map((turn) => `Heard: Item ${turn}: Some words about the g`),
    );
    expect(view.join("\n")).toMatch(/#1 user {2}kept: pinned.*\n.*summarised/);
    expect(stderr).toContain("Pinned #1");
    expect(stderr).toMatch(/Compacted: [\d,]+ → [\d,]+ tokens, \d+ messages summarised/);
    expect(stderr).toMatch(/Undone: the view has [\d,]+ tokens again/);
    expect(stderr).toContain("There is no compaction to undo.");
    expect(stderr).not.toContain("elsewhere");
  });

  test("a turn that compacts says so, once", async () => {
    const turns = Array.from({ length: 12 }, (_, turn) => `Item ${turn}: ${NOISE}`);
    const result = await chat(turns, ...upstream(), "--db", "memory", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const lines = jsonLines(result);
    expect(lines.filter(({ type }) => type === "answer")).toHaveLength(turns.length);
    const notices = lines.flatMap(({ type, text }) => (type === "notice" ? [text ?? ""] : []));
    const compacted = notices.filter((text) => text.startsWith("Compacted: "));
    expect(compacted.length).toBeGreaterThan(0);
    expect(new Set(compacted).size).toBe(compacted.length);
    for (const { pressure } of lines.filter(({ type }) => type === "meter"))
      expect(pressure).toBeLessThanOrEqual(1);
  });

  test("a summary that fails is told once, with what was done instead", async () => {
    const refusing = await startFakeProvider({
      window: WINDOW,
      reply: summarizingReply({ otherwise: "Heard.", wrap: () => "I'm sorry, but I can't help with that." }),
    });
    try {
      const turns = Array.from({ length: 5 }, (_, turn) => `Item ${turn}: ${NOISE}`);
      const flags = ["--upstream", refusing.url, "--model", "gpt-4o", "--window", String(WINDOW)];
      const { code, stderr } = await chat([...turns, "/compact"], ...flags, "--db", "memory");
      expect(code).toBe(0);
      expect(stderr.match(/The summary failed: .*/g)).toHaveLength(1);
      expect(stderr).toMatch(/The summary failed: .* Done instead: .*\nCompacted: /);
    } finally {
      await refusing.close();
    }
  });

  test("a server on the same database has the same conversation and the same number", async () => {
    const result = await chat(["Remember the blue key."], ...upstream(), "--db", db, "--json");
    const meter = jsonLines(result).find(({ type }) => type === "meter");
    const serve = await serveHere(["--upstream", provider.url], { db });
    try {
      const { conversations } = (await (
        await fetch(`${serve.url}/api/conversations`)
      ).json()) as ConversationPage;
      const made = conversations.find(({ title }) => title === "Remember the blue key.");
      const pressure = (await (
        await fetch(`${serve.url}/api/conversations/${made?.id}/pressure`)
      ).json()) as ApiPressure;
      expect(meter).toMatchObject({ tokens: pressure.tokens, pressure: pressure.pressure });
      const through = await chat(["/view", "And the red one."], "--server", serve.url, "--resume", made!.id);
      expect(through.code).toBe(0);
      expect(through.stdout).toContain("Remember the blue key.");
      expect(through.stdout).toContain("Heard: And the red one.");
    } finally {
      await serve.stop();
    }
  });

  test("a model that fails ends a script with its reason", async () => {
    provider.failNext("server-error");
    const { code, stdout, stderr } = await chat(["Hello", "World"], ...upstream(), "--db", "memory");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("answered 500");
    expect(stderr).not.toContain("    at ");
  });

  test("a command that can't be carried out ends a script with 1: the command line was right", async () => {
    const { code, stdout, stderr } = await chat(
      ["Hello", "/view 99", "World"],
      ...upstream(),
      "--db",
      "memory",
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "Heard: Hello\n" });
    expect(stderr).toMatch(/precis: .*99/);
    expect(stderr).not.toContain("--help");
  });

  test("an upstream that isn't there: precis says its name once", async () => {
    const flags = ["--upstream", "http://127.0.0.1:9/v1", "--model", "gpt-4o", "--db", "memory"];
    const { code, stderr } = await chat(["Hello"], ...flags);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^precis: The upstream can't be reached/m);
    expect(stderr.match(/precis:/g)).toHaveLength(1);
  });

  test("Ctrl-C ends a script", async () => {
    const child = startCli(["chat", ...upstream(), "--db", "memory"]);
    let stdout = "";
    child.stdout?.on("data", (piece: Buffer) => (stdout += piece.toString()));
    child.stdin?.write("Hello\n");
    await expect.poll(() => stdout).toContain("Heard: Hello");
    child.kill("SIGINT");
    const code = await new Promise((resolve) => child.on("exit", resolve));
    expect(code).toBe(130);
  });
});

test.each([
  [["chat", "file.json"], 2, /takes no FILE/],
  [["chat", "--resume", "nobody", "--db", "memory"], 2, /conversation nobody doesn.t exist/],
  [["chat", "--resume", "--db", "memory"], 2, /no conversation to resume/],
  [["chat", "--server", "http://127.0.0.1:9"], 1, /can't be reached/],
  [["chat", "--server", "http://127.0.0.1:9", "--db", "x.db"], 2, /a setting of that server/],
  [["chat", "--window", "fast", "--db", "memory"], 2, /isn.t a number of tokens/],
] as const)("%j ends with %i", async (args, expected, message) => {
  const { code, stdout, stderr } = await runCli(args, { stdin: "Hello\n" });
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
  expect(stderr).toMatch(message);
});

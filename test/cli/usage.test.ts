import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { flagName } from "../../src/cli/flags.ts";
import { runCli, runCliProcess } from "./run-cli.ts";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

describe("help and version go to stdout, exit 0", () => {
  test.each([[["--help"]], [["-h"]], [["help"]]])("%j", async (args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("compact");
    expect(stdout).toContain("replay");
  });

  test("of a command, with every flag", async () => {
    const { code, stdout } = await runCli(["replay", "--help"]);
    expect(code).toBe(0);
    for (const flag of [
      "--window N",
      "--prices MODEL",
      "--html OUT",
      "--strategy S",
      "--profile P",
      "--json",
    ])
      expect(stdout).toContain(flag);
    expect(stdout).toContain("usage: precis replay FILE [--window N] ");
    expect((await runCli(["help", "replay"])).stdout).toBe(stdout);
  });

  test("every flag of a command is in its help, and every command in the main one or that of its group", async () => {
    for (const [name, { flags }] of Object.entries(COMMANDS)) {
      const words = name.split(" ");
      const { stdout: above } = await runCli([...words.slice(0, -1), "--help"]);
      expect(above).toMatch(new RegExp(`^ {2}${name} {2}`, "m"));
      const { stdout } = await runCli([...words, "--help"]);
      expect(stdout).toContain(`usage: precis ${name}`);
      for (const flag of Object.keys(flags))
        expect(stdout).toMatch(new RegExp(`^ {2}--${flagName(flag)}[ \n]`, "m"));
    }
  });

  test("no line is wider than the terminal", async () => {
    const { stdout } = await runCli(["compact", "--help"], { env: { COLUMNS: "60" } });
    const prose = stdout.slice(0, stdout.indexOf("examples:")).split("\n");
    for (const line of prose) expect(line.length).toBeLessThanOrEqual(60);
  });

  test("version", async () => {
    expect(await runCliProcess(["--version"])).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
    });
  });
});

describe("bad usage: exit 2, nothing on stdout, a hint on stderr", () => {
  test.each([
    [[], /usage: precis COMMAND/],
    [["comapct", "x"], /no command comapct\. Did you mean precis compact\?[\s\S]*precis --help/],
    [["bake"], /no command bake\. The commands are compact, summarize, handover, replay/],
    [
      ["compact", "x", "--budgt", "8k"],
      /no flag --budgt\. Did you mean --budget\?[\s\S]*precis compact --help/,
    ],
    [["compact", "--budget", "8k"], /needs a FILE/],
    [["compact", "-"], /compact needs --budget/],
    [["compact", "x", "--budget", "lots"], /isn.t a number of tokens/],
    [["compact", "x", "--budget", "8"], /Did you mean 8k\?/],
    [["compact", "x", "--budget", "8k", "--profile", "agnet"], /Did you mean agent\?/],
    [["compact", "x", "--budget", "8k", "--strategy", "drop-midle"], /Did you mean drop-middle\?/],
    [["compact", "x", "--budget", "8k", "--dialect", "openai"], /Did you mean openai-chat\?/],
    [["compact", "-", "--model", "no-such-model"], /isn't in the registry/],
    [["compact", "x", "--budget", "8k", "--pick", "0"], /whole number from 1/],
    [["replay", "x", "y", "--window", "32k"], /takes one FILE/],
    [
      ["replay", "x", "--window", "32k", "--prices", "no-such-model"],
      /registry\. Name a model with known prices/,
    ],
    [["compact", "x", "--budget", "0"], /too few tokens\. .* at least 100,/],
    [["compact", "x", "--budget", "8k", "--strategy", "bake"], /--strategy bake: .* It is one of none, /],
    [["doctor", "--foo"], /^precis: doctor has no flag --foo\.\nSee precis doctor --help\.\n$/],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe("failures: exit 1, nothing on stdout, no stack", () => {
  test.each([
    ["a file that isn't there", "/no/such/file.jsonl", undefined, /there is no file \/no\/such\/file\.jsonl/],
    ["a folder", ".", undefined, /is a folder/],
    ["a wrong file, which is named", "biome.json", undefined, /^precis: biome\.json: found an object/],
    ["nothing", "-", "", /the file is empty/],
    ["a table", "-", "role,content\nuser,hello\n", /line 1: this looks like a table \(CSV\)/],
    ["a page", "-", "<!doctype html><html></html>", /HTML page/],
    ["bytes", "-", new Uint8Array([0, 1, 2, 3, 255]), /binary/],
    [
      "broken JSON",
      "-",
      '{"role":"user","content":"a"}\n{oops\n{"role":"user","content":"b"}\n',
      /line 2: invalid JSON/,
    ],
    ["no messages", "-", '{"a":1}', /the field `a`/],
    ["a message that isn't one", "-", '[{"role":"wizard","content":"x"}]', /wizard/],
  ])("%s", async (_, file, stdin, message) => {
    const { code, stdout, stderr } = await runCli(
      ["compact", file, "--budget", "8k"],
      stdin === undefined ? {} : { stdin },
    );
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("a file that isn't there is named before what else is missing", async () => {
    const { code, stderr } = await runCli(["compact", "nofile.json"]);
    expect([code, stderr]).toEqual([1, "precis: there is no file nofile.json.\n"]);
    const unknown = await runCli(["compact", "nofile.json", "--model", "typo"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, "precis: there is no file nofile.json.\n"]);
  });

  test("a budget that nothing fits in says the numbers and the fix", async () => {
    const chat = [
      { role: "system", content: "rule ".repeat(2_000) },
      { role: "user", content: "Hello" },
    ];
    const { code, stderr } = await runCli(["compact", "-", "--budget", "500"], {
      stdin: JSON.stringify(chat),
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /the system prompt and pins \(\d+ tokens\) .* budget is 500\. Shorten the system prompt or unpin messages, or use a larger budget/,
    );
  });
});

/** The plain programs of `examples/plain`, as they stand: a chat that outgrows its window many times needs no package of precis. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";
import { recordClient } from "../support/record.ts";

const ROUNDS = 30;
const WINDOW = 6_000;
/** What a hand-written reader of JSON may stumble over. */
const ODD = 'quotes ", a backslash \\, a tab \t, Grüße, 你好 and 🚲';

/** The version of what runs or builds a program; undefined if it isn't on this machine. */
function versionOf(command: string): string | undefined {
  const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
  return status === 0 ? (/\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? "unknown") : undefined;
}

const source = (name: string) => fileURLToPath(new URL(`../../examples/plain/${name}`, import.meta.url));

interface Started {
  readonly command: string;
  readonly args: readonly string[];
}

/** How each program is started with a model, a port and a session. `folder` is empty, for what it has to build. */
const programs: readonly {
  readonly name: string;
  readonly needs: string;
  start(folder: string, model: string, port: string, session: string): Started;
}[] = [
  {
    name: "chat.py",
    needs: "python3",
    start: (_, model, port, session) => ({
      command: "python3",
      args: [source("chat.py"), model, "--url", `http://127.0.0.1:${port}`, "--session", session],
    }),
  },
  {
    name: "chat.cpp",
    needs: "g++",
    start(folder, model, port, session) {
      const program = join(folder, "chat");
      const flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", program, source("chat.cpp")];
      const built = spawnSync("g++", flags, { encoding: "utf8" });
      expect(built.status, built.stderr).toBe(0);
      return { command: program, args: [model, port, session] };
    },
  },
];

describe.each(programs)("$name", ({ name, needs, start }) => {
  const version = versionOf(needs);
  const isThere = version !== undefined;
  if (!isThere) console.log(`skipped: there is no ${needs} on this machine, so ${name} can't be run`);

  it.skipIf(!isThere)(`talks for ${ROUNDS} rounds through the gateway, in a small window`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "precis-plain-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    let answered = 0;
    const provider = await startFakeProvider({
      window: WINDOW,
      reply: () => `Answer ${answered++}: ${ODD}.\n${"It turns more easily then. ".repeat(40)}`,
    });
    onTestFinished(() => provider.close());
    const gateway = await startGateway({
      ...upstreamAt(provider.url),
      window: WINDOW,
      summarizer: "extractive",
    });
    onTestFinished(() => gateway.close());

    const { port } = new URL(gateway.url);
    const { command, args } = start(folder, "any-model", port, "plain-chat");
    const questions = Array.from(
      { length: ROUNDS },
      (_, n) => `Question ${n}: ${ODD}; ${"what about the chain? ".repeat(30)}`,
    );
    const ended = await run(command, args, questions.join("\n"));

    expect(ended.code, ended.err).toBe(0);
    const answers = ended.out.split("\n").filter((line) => line.startsWith("Answer "));
    expect(answers).toEqual(questions.map((_, n) => `Answer ${n}: ${ODD}.`));
    const compactions = ended.err.match(/\[precis: compacted, \d+ -> \d+ tokens\]/g)?.length ?? 0;
    expect(compactions).toBeGreaterThan(2);
    const refused = provider.requests.filter(({ status }) => status !== 200).length;
    const of = `${needs} ${version}`;
    recordClient(`examples/plain/${name}`, {
      version: of,
      wire: "chat",
      rounds: ROUNDS,
      compactions,
      refused,
    });

    expect(provider.requests.map(({ status }) => status)).toEqual(questions.map(() => 200));
    for (const { tokens } of provider.requests) expect(tokens.input).toBeLessThan(WINDOW);
    const asked = provider.requests.map(({ lastUser }) => /^Question \d+: .*?;/.exec(lastUser)?.[0]);
    expect(asked).toEqual(questions.map((_, n) => `Question ${n}: ${ODD};`));

    const { conversations } = gateway.gateway.store;
    const stored = (await conversations.list("default")).conversations;
    expect(stored.map(({ session }) => session)).toEqual(["plain-chat"]);
    const messages = await conversations.read("default", stored[0]!.id);
    expect(messages.filter(({ wire }) => wire.includes('"user"'))).toHaveLength(ROUNDS);
    expect(messages.filter(({ wire }) => wire.includes('"assistant"'))).toHaveLength(ROUNDS);
  });

  it.skipIf(!isThere)("says in words that there is no gateway", async () => {
    const folder = mkdtempSync(join(tmpdir(), "precis-plain-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // Nobody listens at port 9 of this machine.
    const { command, args } = start(folder, "any-model", "9", "plain-chat");
    const { code, err } = await run(command, args, "Hello?");
    expect(code).toBe(1);
    expect(err).toContain("There is no gateway at ");
    expect(err).toContain("precis serve");
  });
});

function run(command: string, args: readonly string[], input: string) {
  const child = spawn(command, args, { env: { ...process.env, NO_PROXY: "*" } });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    out += piece;
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    err += piece;
  });
  child.stdin.end(`${input}\n`);
  return new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>(
    (resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, out, err }));
    },
  );
}

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli, scratchFolder } from "./run-cli.ts";

let folder: ReturnType<typeof scratchFolder>;
let chat: string;
beforeAll(() => {
  folder = scratchFolder();
  chat = folder.path("chat.json");
  writeFileSync(chat, JSON.stringify([{ role: "user", content: "The pump is a 4412." }]));
});
afterAll(() => folder.remove());

it.each([
  ["compact", "", "--budget", "8k"],
  // An empty name is the current folder for the system: everything in it would be imported.
  ["import", "", "--db", "memory"],
  ["inspect", ""],
  ["db", "import", "", "--db", "memory"],
])("a name that is empty, because a variable isn't set, is refused: %s %s %s", async (...args) => {
  const { code, stderr } = await runCli(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/empty argument/);
});

it("an address that is none names its flag", async () => {
  const { code, stderr } = await runCli(["summarize", chat, "--model", "m", "--base-url", "nope"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^precis: --base-url nope: this is not an http\(s\) address\. Give /);
});

it("a host that nobody knows is told without a stack", async () => {
  const config = folder.path("config.json");
  writeFileSync(
    config,
    JSON.stringify({ auth: { keys: [{ name: "me", key: "k".repeat(20) }] }, db: folder.path("x.db") }),
  );
  const given = ["--host", "nobody.invalid", "--port", "0", "--config", config];
  const { code, stderr } = await runCli(["serve", "--db", "memory", "--json", ...given]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/nobody\.invalid .*--host/);
  expect(stderr).not.toMatch(/^\s+at /m);
});

it.each([
  ["precis", /A precis server is already running there/],
  ["another program", /is in use\. Choose another with --port/],
] as const)("a port in use by %s is told without a stack", async (whose, message) => {
  const other = createServer((_, response) =>
    response.end(whose === "precis" ? '{"version":"1.0.0"}' : "Hello!"),
  );
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  const { code, stderr } = await runCli(["serve", "--db", "memory", "--port", String(port)]);
  other.close();
  expect(code).toBe(1);
  expect(stderr).toMatch(/is in use\. .*--port/);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^\s+at /m);
});

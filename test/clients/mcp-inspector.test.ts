/** The official inspector, as people run it in a terminal, against `precis mcp`: over stdio and over streamable HTTP. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, scratchFolder, startCli } from "../cli/run-cli.ts";
import { installed } from "./client-program.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const INSPECTOR = installed(".bin/mcp-inspector");
const folder = scratchFolder();
const db = folder.path("past.db");

beforeAll(async () => {
  const messages = [
    { role: "user", content: "The retry budget is 41 attempts." },
    { role: "assistant", content: "Noted." },
  ];
  writeFileSync(folder.path("chat.json"), JSON.stringify({ messages }));
  expect((await runCli(["import", folder.path("chat.json"), "--db", db])).code).toBe(0);
});
afterAll(folder.remove);

async function inspect(server: readonly string[], ...method: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(INSPECTOR, ["--cli", ...server, "--method", ...method], {
    env: { PATH: process.env["PATH"] ?? "", HOME: folder.path("."), NODE_NO_WARNINGS: "1" },
  });
  return JSON.parse(stdout);
}

async function usesTools(server: readonly string[]): Promise<void> {
  const { tools } = (await inspect(server, "tools/list")) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(["search", "read", "summary", "handover", "sessions"]);
  const search = ["tools/call", "--tool-name", "search", "--tool-arg", "query=retry budget"];
  expect(JSON.stringify(await inspect(server, ...search))).toContain("41 attempts");
}

describe("@modelcontextprotocol/inspector", () => {
  test("over stdio", () => usesTools([process.execPath, MAIN, "mcp", "--db", db]));

  test("over streamable HTTP", async () => {
    const child = startCli(["serve", "--port", "0", "--json", "--db", db]);
    try {
      const [line] = (await once(child.stdout!.setEncoding("utf8"), "data")) as [string];
      await usesTools([`${(JSON.parse(line) as { address: string }).address}/mcp`, "--transport", "http"]);
    } finally {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    }
  });
});

/** What was said is found in PostgreSQL as in SQLite: on the command line, and by MCP over stdio and streamable HTTP. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileCache } from "../support/compile-cache.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { programFile } from "../support/programs.ts";
import { runCli, scratchFolder, startCli } from "./run-cli.ts";

const folder = scratchFolder();
const sqlite = folder.path("past.db");
let postgres = "";

beforeAll(async () => {
  postgres = await (await sharedPostgres()).database();
  const chats = Array.from({ length: 6 }, (_, n) => ({
    title: `Chat ${n}`,
    messages: Array.from({ length: 20 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content:
        n === 4 && at === 11
          ? "The retry budget in src/net/retryBudget.ts is 41 attempts."
          : `Chat ${n}, message ${at}, about bed ${n * at} and what to plant there.`,
    })),
  }));
  writeFileSync(folder.path("chats.json"), JSON.stringify(chats));
  for (const db of [sqlite, postgres])
    expect((await runCli(["import", folder.path("chats.json"), "--db", db])).code).toBe(0);
});
afterAll(folder.remove);

test.each(["retry budget", "retryBudget.ts", "src/net/retryBudget.ts", "plant bed 15", '"41 attempts"'])(
  "precis recall %s finds the same",
  async (query) => {
    const hits = async (db: string) =>
      (
        JSON.parse((await runCli(["recall", query, "--db", db, "--json"])).stdout) as {
          hits: { index: number; title: string; text: string }[];
        }
      ).hits.map(({ index, title, text }) => ({ index, title, text }));
    const found = await hits(postgres);
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(await hits(sqlite));
  },
);

async function searchedBy(transport: Transport): Promise<string> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  try {
    const { content } = await client.callTool({ name: "search", arguments: { query: "retry budget" } });
    return (content as { text: string }[]).map(({ text }) => text).join("\n");
  } finally {
    await client.close();
  }
}

test("precis mcp over stdio", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programFile("precis"), "mcp", "--db", postgres],
    env: { PATH: process.env["PATH"] ?? "", NODE_NO_WARNINGS: "1", ...compileCache },
  });
  expect(await searchedBy(transport)).toContain("41 attempts");
});

test("the gateway's MCP over streamable HTTP", async () => {
  const child = startCli(["serve", "--port", "0", "--json", "--db", postgres]);
  try {
    const [line] = (await once(child.stdout!.setEncoding("utf8"), "data")) as [string];
    const { address } = JSON.parse(line) as { address: string };
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", address)) as unknown as Transport;
    expect(await searchedBy(transport)).toContain("41 attempts");
  } finally {
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    await exit;
  }
});

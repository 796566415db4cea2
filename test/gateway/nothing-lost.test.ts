import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { openStore } from "../../src/stores/index.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { byProof } from "../support/proof.ts";
import { type ServeProcess, startServe } from "./serve-process.ts";

/** How often a node is killed on each database. */
const KILLS = Number(process.env["PRECIS_KILLS"] ?? byProof({ sample: 4, more: 40, all: 500 }));
/** One kill with its start and its talk, on a busy machine (milliseconds). */
const KILL_MS = 30_000;
const CLIENTS = 6;
const WINDOW = 4_000;

let folder: string;
let provider: FakeProvider;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "precis-kill-"));
  provider = await startFakeProvider({
    window: WINDOW,
    reply: ({ number }) => `Answer ${number}. ${"word ".repeat(40)}`,
  });
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

interface Said {
  readonly role: string;
  readonly content: string;
}

/** Talks until the server is gone; keeps only what was answered to the end. */
async function talk(url: string, messages: Said[], streamed: boolean): Promise<void> {
  for (;;) {
    const question = {
      role: "user",
      content: `Turn ${messages.length}: ${"please say more about it. ".repeat(8)}`,
    };
    try {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o", stream: streamed, messages: [...messages, question] }),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${text}`);
      if (streamed && !text.includes("data: [DONE]")) return;
      messages.push(question, { role: "assistant", content: streamed ? contentOf(text) : answerOf(text) });
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

function answerOf(text: string): string {
  return (JSON.parse(text) as { choices: { message: Said }[] }).choices[0]!.message.content;
}

function contentOf(text: string): string {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map(
      (line) =>
        (JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta
          .content ?? "",
    )
    .join("");
}

let postgres: TestPostgres | undefined;
afterAll(() => postgres?.stop());

it.each([
  ["SQLite", async () => join(folder, "precis.db")],
  [
    "PostgreSQL",
    async () => {
      postgres = await startPostgres();
      return postgres.database();
    },
  ],
])(
  "%s: loses nothing that was acknowledged when it is killed at any moment",
  async (_name, open) => {
    const db = await open();
    const chats = Array.from({ length: CLIENTS }, (_, n): Said[] => [
      { role: "user", content: `Chat ${n} begins` },
      { role: "assistant", content: "Go on." },
    ]);
    const turns = () => chats.reduce((sum, chat) => sum + chat.length / 2, 0);
    for (let kill = 0; kill < KILLS; kill++) {
      const serve: ServeProcess = await startServe(["--upstream", provider.url, "--window", String(WINDOW)], {
        db,
      });
      const talking = Promise.all(chats.map((chat, n) => talk(serve.url, chat, n % 2 === 0)));
      const enough = turns() + 10 + Math.floor(Math.random() * 20);
      while (turns() < enough) await new Promise((resolve) => setTimeout(resolve, 5 * Math.random()));
      await serve.stop("SIGKILL");
      await talking;
    }
    const store = openStore(db);
    const { conversations } = await store.conversations.list("default", { limit: 500 });
    const transcripts = await Promise.all(
      conversations.map(async ({ id }) =>
        (await store.conversations.read("default", id)).map(({ wire }) => textOf(wire)),
      ),
    );
    await store.close();
    for (const [n, chat] of chats.entries()) {
      const said = chat.map(({ role, content }) => `${role}: ${content}`);
      // Refused questions may have been stored too: what counts is that one transcript begins with all of it.
      const found = transcripts.some((stored) => said.every((words, index) => stored[index] === words));
      expect(found, `chat ${n}`).toBe(true);
    }
    expect(provider.requests.filter(({ status }) => status === 400)).toEqual([]);
  },
  KILLS * KILL_MS + 60_000,
);

function textOf(wire: string): string {
  const { role, content } = JSON.parse(wire) as Said;
  return `${role}: ${content}`;
}

it("ends the requests under way before it goes", async () => {
  provider.setReply({ text: "slow but sure", delayMs: 600 });
  const serve = await startServe(["--upstream", provider.url], {});
  const asked = fetch(`${serve.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] }),
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const stopped = serve.stop("SIGTERM");
  expect(await (await asked).text()).toContain("slow but sure");
  await stopped;
  expect(serve.child.exitCode).toBe(0);
});

it("serves with several workers", async () => {
  const serve = await startServe(["--upstream", provider.url, "--workers", "2"]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const response = await fetch(`${serve.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: `worker ${n}` }] }),
      });
      await response.text();
      return response.status;
    }),
  );
  expect(answers.every((status) => status === 200)).toBe(true);
  const listed = (await (await fetch(`${serve.url}/api/conversations`)).json()) as {
    conversations: unknown[];
  };
  expect(listed.conversations).toHaveLength(20);
  await serve.stop();
});

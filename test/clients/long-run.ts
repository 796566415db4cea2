import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/stores/index.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startServe } from "../gateway/serve-process.ts";
import type { ClientProgram } from "./client-program.ts";
import { longTask, TICKET, writeFiles } from "./long-task.ts";
import { startNoWayOut } from "./no-way-out.ts";
import { type Ended, runProgram } from "./run-program.ts";
import { startTap, type Tapped } from "./tap.ts";

/** The window that the client doesn't know of, in multiples of its own system prompt and tools. */
const WINDOW_FACTOR = 3.5;
/** What one file takes of the window beside system prompt and tools: the whole task is many windows long. */
const FILE_SHARE = 1 / 25;
const MEASURE_MS = 60_000;
const ROUND_MS = 2_500;

/** A conversation of the store, with its messages as JSON. */
export interface StoredConversation {
  readonly id: string;
  readonly messages: readonly { readonly hash: string; readonly wire: unknown }[];
}

/** Everything that happened while a program worked. */
export interface LongRun {
  readonly window: number;
  /** Tokens of the first request: system prompt, tools and the question. */
  readonly fixed: number;
  readonly ended: Ended;
  /** Tool rounds that the model asked for. */
  readonly rounds: number;
  /** What the client sent and got. */
  readonly sent: readonly Tapped[];
  /** What the provider was sent. */
  readonly seen: FakeProvider["requests"];
  readonly conversations: readonly StoredConversation[];
  readonly log: string;
  /** Hosts that the program asked for in vain. */
  readonly hosts: readonly string[];
}

/** Lets a program work on a long task through a real `precis serve`, against the fake provider. */
export async function longRun(program: ClientProgram, rounds: number): Promise<LongRun> {
  const root = await mkdtemp(join(tmpdir(), "precis-clients-"));
  const closing: (() => Promise<void>)[] = [() => rm(root, { recursive: true, force: true, maxRetries: 5 })];
  try {
    const wayOut = await startNoWayOut();
    closing.push(wayOut.close);
    const prompt = `Read all files of the project, one after the other. The ticket is ${TICKET}.`;
    const at = async (name: string) => {
      const home = join(root, name);
      const work = join(root, name, "work");
      await mkdir(work, { recursive: true });
      return { home, work, prompt, proxy: wayOut.url };
    };

    const first = await startFakeProvider();
    closing.push(first.close);
    const measured = await runProgram(program, {
      ...(await at("measure")),
      url: first.url,
      timeoutMs: MEASURE_MS,
    });
    const fixed = Math.max(...first.requests.map(({ tokens }) => tokens.input), 0);
    if (fixed === 0)
      throw new Error(`${program.name} asked for nothing (exit ${measured.code}): ${measured.err}`);

    const window = Math.round(fixed * WINDOW_FACTOR);
    const place = await at("task");
    await writeFiles(place.work, rounds, (window - fixed) * FILE_SHARE);
    const task = longTask(program, { rounds, work: place.work });
    const provider = await startFakeProvider({ window, reply: task.reply });
    closing.push(provider.close);
    const db = join(root, "precis.db");
    const serve = await startServe(["--upstream", provider.url, "--window", String(window)], { db });
    closing.push(serve.stop);
    const tap = await startTap(serve.url);
    closing.push(tap.close);
    const ended = await runProgram(program, {
      ...place,
      url: tap.url,
      timeoutMs: MEASURE_MS + rounds * ROUND_MS,
    });
    await serve.stop();
    return {
      window,
      fixed,
      ended,
      rounds: task.asked(),
      sent: tap.requests,
      seen: provider.requests,
      conversations: await readStore(db),
      log: serve.log(),
      hosts: [...wayOut.hosts],
    };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function readStore(db: string): Promise<StoredConversation[]> {
  const store = openStore(db);
  try {
    const { conversations } = await store.conversations.list("default", { archived: "all", limit: 500 });
    return await Promise.all(
      conversations.map(async ({ id }) => {
        const messages = await store.conversations.read("default", id);
        return { id, messages: messages.map(({ hash, wire }) => ({ hash, wire: JSON.parse(wire) })) };
      }),
    );
  } finally {
    await store.close();
  }
}

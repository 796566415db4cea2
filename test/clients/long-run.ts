import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/stores/server.ts";
import type { ExportLine } from "../../src/stores/shared/export-line.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { type ServeProcess, startServe } from "../gateway/serve-process.ts";
import type { ClientProgram } from "./client-program.ts";
import { longTask, TICKET, writeFiles, writeRules } from "./long-task.ts";
import { startNoWayOut } from "./no-way-out.ts";
import { type Ended, runProgram } from "./run-program.ts";
import { startTap, type Tapped } from "./tap.ts";

/** The window that the client doesn't know of, in multiples of its own system prompt and tools. */
const WINDOW_FACTOR = 3.5;
/** What one file takes of the window beside system prompt and tools: the whole task is many windows long. */
const FILE_SHARE = 1 / 25;
/** The same where the client's own window has to be filled several times. */
const LARGE_FILE_SHARE = 1 / 6;
/** The window that a client believes in, in multiples of the gateway's: no view comes near it. */
const OWN_WINDOW_FACTOR = 2;
const MEASURE_MS = 60_000;
const ROUND_MS = 2_500;

/** A conversation of the store, with its messages as JSON. */
export interface StoredConversation {
  readonly id: string;
  /** The path to its active leaf. */
  readonly messages: readonly unknown[];
  /** Messages of all branches: a client that shortens its old results itself goes on on another one. */
  readonly everything: readonly unknown[];
}

/** Everything that happened while a program worked. */
export interface LongRun {
  readonly window: number;
  /** The window that the client believed in, if it was to believe in one (tokens). */
  readonly ownWindow: number;
  /** Tokens of the first request: system prompt, tools and the question. */
  readonly fixed: number;
  /** How the program ended, once for each leg. */
  readonly ended: readonly Ended[];
  /** Tool rounds that the model asked for. */
  readonly rounds: number;
  /** What the client sent and got. */
  readonly sent: readonly Tapped[];
  /** What the provider was sent. */
  readonly seen: FakeProvider["requests"];
  readonly conversations: readonly StoredConversation[];
  /** Hosts that the program asked for in vain. */
  readonly hosts: readonly string[];
}

/**
 * Lets a program work on a long task through a real `precis serve`, against the fake provider. With several legs the
 * gateway is started anew before each further one, and the program goes on with its session.
 */
export async function longRun(
  program: ClientProgram,
  {
    rounds,
    legs = 1,
    looksBack = false,
    outgrows,
  }: {
    readonly rounds: number;
    readonly legs?: number;
    /** The gateway offers its tool of recall, and the model uses it in the end. */
    readonly looksBack?: boolean;
    /** The transcript becomes several times as long as a window that the client may believe in. */
    readonly outgrows?: {
      /** It believes in such a window. Otherwise it is set up as the guide says. */
      readonly believes: boolean;
    };
  },
): Promise<LongRun> {
  const root = await mkdtemp(join(tmpdir(), "precis-clients-"));
  const closing: (() => Promise<void>)[] = [() => rm(root, { recursive: true, force: true, maxRetries: 5 })];
  try {
    const wayOut = await startNoWayOut();
    closing.push(wayOut.close);
    const at = async (name: string) => {
      const home = join(root, name);
      const work = join(root, name, "work");
      await mkdir(work, { recursive: true });
      await writeRules(work);
      return { home, work, proxy: wayOut.url };
    };
    const fixed = await measure(program, await at("measure"));

    const window = Math.round(fixed * WINDOW_FACTOR);
    const place = await at("task");
    const free = window - fixed;
    const share = outgrows === undefined ? FILE_SHARE : LARGE_FILE_SHARE;
    await writeFiles(place.work, { rounds: rounds * legs, tokens: free * share, free });
    const ownWindow = Math.round(window * OWN_WINDOW_FACTOR);
    const provider = await startFakeProvider({ window });
    closing.push(provider.close);
    const db = join(root, "precis.db");
    const config = join(root, "precis.config.json");
    await writeFile(config, JSON.stringify({ ...(looksBack && { tools: ["recall"] }) }));
    const serve = (): Promise<ServeProcess> =>
      startServe(["--upstream", provider.url, "--window", String(window)], {
        db,
        env: { PRECIS_CONFIG: config },
      });
    let running = await serve();
    closing.push(() => running.stop());
    const tap = await startTap(running.url);
    closing.push(tap.close);

    const ended: Ended[] = [];
    let asked = 0;
    for (let leg = 0; leg < legs; leg++) {
      const task = longTask(program, { rounds, work: place.work, from: leg * rounds, looksBack });
      provider.setReply(task.reply);
      if (leg > 0) {
        await running.stop();
        running = await serve();
        tap.retarget(running.url);
      }
      ended.push(
        await runProgram(program, {
          ...place,
          prompt: promptOf(leg),
          resumes: leg > 0,
          ...(outgrows?.believes && { ownWindow }),
          url: tap.url,
          timeoutMs: MEASURE_MS + rounds * ROUND_MS,
        }),
      );
      asked += task.asked();
    }
    await running.stop();
    return {
      window,
      ownWindow,
      fixed,
      ended,
      rounds: asked,
      sent: tap.requests,
      seen: provider.requests,
      conversations: await readStore(db),
      hosts: [...wayOut.hosts],
    };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

function promptOf(leg: number): string {
  return leg === 0
    ? `Read all files of the project, one after the other. The ticket is ${TICKET}.`
    : `Now read the rest of them, too. It is still ${TICKET}, part ${leg + 1}.`;
}

/** Tokens of the first request of a program: its system prompt, its tools and a question. */
async function measure(
  program: ClientProgram,
  place: { readonly home: string; readonly work: string; readonly proxy: string },
): Promise<number> {
  const provider = await startFakeProvider();
  try {
    const ended = await runProgram(program, {
      ...place,
      prompt: promptOf(0),
      resumes: false,
      url: provider.url,
      timeoutMs: MEASURE_MS,
    });
    const fixed = Math.max(0, ...provider.requests.map(({ tokens }) => tokens.input));
    if (fixed > 0) return fixed;
    throw new Error(`${program.name} asked for nothing (exit ${ended.code}): ${ended.err}`);
  } finally {
    await provider.close();
  }
}

async function readStore(db: string): Promise<StoredConversation[]> {
  const store = openStore(db);
  try {
    const { conversations } = await store.conversations.list("default", { archived: "all", limit: 500 });
    const lines: ExportLine[] = [];
    for await (const line of store.upkeep.exportAll()) lines.push(JSON.parse(line) as ExportLine);
    const branches = Map.groupBy(
      lines.filter((line) => line.type === "message"),
      ({ conversation }) => conversation,
    );
    return await Promise.all(
      conversations.map(async ({ id }) => {
        const messages = await store.conversations.read("default", id);
        const everything = branches.get(id) ?? [];
        return {
          id,
          messages: messages.map(({ wire }) => JSON.parse(wire) as unknown),
          everything: everything.map(({ message }) => JSON.parse(message.wire) as unknown),
        };
      }),
    );
  } finally {
    await store.close();
  }
}

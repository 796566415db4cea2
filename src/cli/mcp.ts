import type { IncomingHttpHeaders } from "node:http";
import { Writable } from "node:stream";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { isLoopback } from "../config/loopback.ts";
import { version } from "../config/version.ts";
import type { ServerStore } from "../stores/server-store.ts";
import { UsageError } from "./flags.ts";
import { aborted, type Io } from "./io.ts";
import { DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import type { RunOf } from "./run.ts";

const DEFAULT_PORT = 8788;
const DEFAULT_HOST = "127.0.0.1";

export async function mcp(run: RunOf<"mcp">): Promise<void> {
  const { io, options } = run;
  const { http, host = DEFAULT_HOST, port = DEFAULT_PORT, tenant = DEFAULT_TENANT, json } = options;
  for (const name of ["port", "host", "json"])
    if (!http && name in options) throw new UsageError(`--${name} needs --http.`);
  await withDatabase(run, { create: false }, async (store, _name, config) => {
    const [{ createMcpServer }, { serveHttp, serveStdio }] = await Promise.all([
      import("../gateway/mcp/create-mcp-server.ts"),
      import("../gateway/mcp/serve-mcp.ts"),
    ]);
    if (!http) {
      const server = createMcpServer(store, tenant, version());
      return serveStdio(server, { stdin: io.stdin, stdout: toStdout(io) }, io.signal);
    }
    const tenantOf = await tenantBy(config, store, host, tenant);
    const served = await serveHttp({
      host,
      port,
      rules: { loopback: isLoopback(host), hosts: config.hosts, cors: config.cors },
      serverFor: async ({ headers }) => createMcpServer(store, await tenantOf(headers), version()),
    });
    if (json) io.stdout.write(`${JSON.stringify({ address: served.address })}\n`);
    else io.stderr.write(`precis serves MCP at ${served.address}\n`);
    await aborted(io.signal);
    await served.close();
  });
}

/** Whose conversations a request may see: those of its key, or the one tenant's where this machine alone connects without keys. */
async function tenantBy(
  { auth }: GatewayConfig,
  store: ServerStore,
  host: string,
  tenant: string,
): Promise<(headers: IncomingHttpHeaders) => Promise<string>> {
  const mode = auth.mode ?? (auth.keys.length === 0 ? "open" : "keys");
  if (isLoopback(host) && mode === "open") return () => Promise.resolve(tenant);
  const { createAuthenticate } = await import("../gateway/http/admit.ts");
  const authenticate = createAuthenticate({
    mode: "keys",
    keys: auth.keys,
    store: store.clientKeys,
    now: () => Date.now(),
  });
  return async (headers) => (await authenticate(headers)).tenant;
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

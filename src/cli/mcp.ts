import type { IncomingHttpHeaders } from "node:http";
import { Writable } from "node:stream";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { isLoopback } from "../config/loopback.ts";
import { version } from "../config/version.ts";
import type { ServerStore } from "../stores/server-store.ts";
import { aborted, type Io } from "./io.ts";
import { DATABASE_FLAGS, DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parsePort } from "./parse-tokens.ts";

const DEFAULT_PORT = 8788;
const DEFAULT_HOST = "127.0.0.1";

export const mcpLine: CommandLine = {
  name: "mcp",
  summary: "Lets any MCP client search and read the stored conversations: over stdio, or over HTTP.",
  usage: "precis mcp [--http] [flags]",
  flags: {
    http: { help: "serve streamable HTTP at /mcp instead of stdio" },
    port: { value: "N", help: `--http: port (default: ${DEFAULT_PORT})` },
    host: {
      value: "H",
      help: `--http: address to listen at (default: ${DEFAULT_HOST}; others need client keys)`,
    },
    ...DATABASE_FLAGS,
    json: { help: "--http: one line of JSON with the address on stdout" },
  },
  notes: [
    "The tools are search, read, summary, handover and sessions. They only read, call no model, and what they return is marked as quotations.",
    "Over HTTP a client key (precis serve --new-key NAME) says whose conversations are meant wherever keys are needed: at another host than this machine, or with auth.mode keys.",
  ],
  examples: [
    "precis mcp --db precis.db",
    "claude mcp add precis -- precis mcp --db ~/precis.db",
    "precis mcp --http --port 8788",
  ],
};

export async function mcpCommand(flags: ParsedFlags, io: Io): Promise<void> {
  if (flags.files.length > 0)
    throw new UsageError(`precis mcp takes no FILE, but ${flags.files[0]} was given.`);
  const isHttp = flags.has("http");
  for (const name of ["port", "host", "json"])
    if (!isHttp && flags.has(name)) throw new UsageError(`--${name} needs --http.`);
  const address = {
    host: flags.value("host") ?? DEFAULT_HOST,
    port: flags.parsed("port", parsePort) ?? DEFAULT_PORT,
  };
  await withDatabase(flags, io, { create: false }, async (store, _name, config) => {
    const [{ createMcpServer }, { serveHttp, serveStdio }] = await Promise.all([
      import("../gateway/mcp/create-mcp-server.ts"),
      import("../gateway/mcp/serve-mcp.ts"),
    ]);
    const tenant = flags.value("tenant") ?? DEFAULT_TENANT;
    if (!isHttp) {
      await serveStdio(
        createMcpServer(store, tenant, version()),
        { stdin: io.stdin, stdout: toStdout(io) },
        io.signal,
      );
      return;
    }
    const tenantOf = await tenantBy(config, store, address.host, tenant);
    const served = await serveHttp({
      ...address,
      rules: { loopback: isLoopback(address.host), hosts: config.hosts, cors: config.cors },
      serverFor: async ({ headers }) => createMcpServer(store, await tenantOf(headers), version()),
    });
    if (flags.has("json")) io.stdout.write(`${JSON.stringify({ address: served.address })}\n`);
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

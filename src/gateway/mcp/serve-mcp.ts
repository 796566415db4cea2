import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { checkOrigin, type OriginRules } from "../http/admit.ts";
import { RequestFault } from "../http/request-fault.ts";
import { sendJson } from "../http/send-json.ts";
import { unlistenable } from "../http/unlistenable.ts";
import type { createMcpServer } from "./create-mcp-server.ts";

type McpServer = ReturnType<typeof createMcpServer>;

/** Speaks with the program that started this one, until it closes stdin or `signal` aborts. */
export async function serveStdio(
  server: McpServer,
  streams: { readonly stdin: Readable; readonly stdout: Writable },
  signal: AbortSignal,
): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    streams.stdin.once("end", end).once("close", end);
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", end, { once: true });
  });
  await server.connect(new StdioServerTransport(streams.stdin, streams.stdout));
  await ended;
  await server.close();
}

/** The one path of a server over HTTP. */
const PATH = "/mcp";

export interface McpHttpOptions {
  readonly host: string;
  readonly port: number;
  readonly rules: OriginRules;
  /** The server of whoever asks; throws for a stranger. */
  serverFor(request: IncomingMessage): Promise<McpServer>;
}

/** Serves streamable HTTP. It keeps nothing between requests, so that any number of them may run side by side. */
export async function serveHttp(
  options: McpHttpOptions,
): Promise<{ address: string; close(): Promise<void> }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    checkOrigin(request.headers, options.rules);
    if (request.url?.replace(/\?.*$/s, "") !== PATH)
      throw new RequestFault(404, "not-found", `precis: there is nothing here. MCP is at ${PATH}.`);
    if (request.method !== "POST") {
      response.setHeader("allow", "POST");
      throw new RequestFault(405, "method", "precis: this server has no stream of its own. Send POST.");
    }
    const server = await options.serverFor(request);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.once("close", () => void server.close());
    // The SDK's own type of a transport forgets that its fields may be undefined.
    await server.connect(transport as Transport);
    await transport.handleRequest(request, response);
  };
  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    http.once("error", (error) => reject(unlistenable(error, options)));
    http.listen(options.port, options.host, resolve);
  });
  const { address, port, family } = http.address() as AddressInfo;
  return {
    address: `http://${family === "IPv6" ? `[${address}]` : address}:${port}${PATH}`,
    async close() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const fault =
    error instanceof RequestFault
      ? error
      : new RequestFault(500, "internal", "precis: something went wrong.");
  sendJson(response, fault.status, { error: { code: fault.code, message: fault.message } });
}

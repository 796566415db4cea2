import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { PastStore } from "../conversation/past.ts";
import type { Authenticate, Client } from "../http/admit.ts";
import { RequestFault } from "../http/request-fault.ts";
import { createMcpServer } from "./create-mcp-server.ts";

/** Speaks with the program that started this one, until it closes stdin or `signal` aborts. */
export async function serveStdio(
  server: ReturnType<typeof createMcpServer>,
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

/** Streamable HTTP. It keeps nothing between requests, so that any number of them may run side by side, on any node. */
export async function handleMcp(
  parts: {
    readonly store: PastStore;
    readonly version: string;
    readonly authenticate: Authenticate;
    limitRate(client: Client): void;
  },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const client = await parts.authenticate(request.headers);
  parts.limitRate(client);
  if (request.method !== "POST") {
    response.setHeader("allow", "POST");
    throw new RequestFault(405, "method", "precis: MCP has no stream of its own here. Send POST.");
  }
  const server = createMcpServer(parts.store, client.tenant, parts.version);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once("close", () => void server.close());
  // The SDK's own type of a transport forgets that its fields may be undefined.
  await server.connect(transport as Transport);
  await transport.handleRequest(request, response);
}

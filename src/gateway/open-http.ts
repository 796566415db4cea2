import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { openaiError } from "../apis/shared/providers.ts";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { ConfigError } from "../core/errors.ts";
import type { Log } from "./telemetry/log.ts";

/** Longer than the idle time of common load balancers, so that it is they who close a connection (milliseconds). */
const KEEP_ALIVE_MS = 65_000;

/** How long a client may take to send the headers of a request (milliseconds). */
const HEADERS_MS = 30_000;
/** Connections of one process. */
const MAX_CONNECTIONS = 10_000;

/** How often connections are looked at whose requests come too slowly, at the least (milliseconds). */
const CHECK_SLOW_MS = 5_000;

/** How often a draining server looks for idle connections (milliseconds). */
const CLOSE_IDLE_MS = 50;

interface OpenHttp {
  readonly server: Server;
  /** Resolves with its address once it listens. */
  listen(): Promise<string>;
  /** Stops listening, and waits as long as the config allows for requests under way, then for what `settled` stands for. */
  close(settled: () => Promise<unknown>): Promise<void>;
}

export function openHttp(
  config: Pick<GatewayConfig, "host" | "port" | "limits">,
  handler: RequestListener,
  log: Log,
): OpenHttp {
  const { limits } = config;
  const server = createServer(
    {
      requestTimeout: limits.requestMs,
      headersTimeout: Math.min(HEADERS_MS, limits.requestMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(CHECK_SLOW_MS, limits.requestMs / 4),
      noDelay: true,
    },
    handler,
  );
  server.maxConnections = MAX_CONNECTIONS;
  const unused = unusedConnections(server);
  server.on("clientError", answerBroken);
  // A connection that can't be accepted (no more file handles) must not end all the others.
  server.on("error", (error) => server.listening && log.warn({ err: error }, "a connection was lost"));

  return {
    server,
    listen: () =>
      new Promise((resolve, reject) => {
        server.once("error", (error) => unlistenable(error, config).then(reject));
        server.listen(config.port, config.host, () => {
          const { address, port, family } = server.address() as AddressInfo;
          resolve(`http://${family === "IPv6" ? `[${address}]` : address}:${port}`);
        });
      }),
    async close(settled) {
      const started = performance.now();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection is kept open after its last answer; it is closed as soon as it is idle.
      const closeIdle = (): void => {
        server.closeIdleConnections();
        unused.close();
      };
      const idle = setInterval(closeIdle, CLOSE_IDLE_MS);
      closeIdle();
      const timer = setTimeout(() => server.closeAllConnections(), limits.drainMs);
      await closed;
      await waitAtMost(settled(), limits.drainMs - (performance.now() - started));
      clearTimeout(timer);
      clearInterval(idle);
    },
  };
}

/** Says in words why a server can't listen at an address, and what to choose instead. */
async function unlistenable(
  error: Error,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Error> {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new ConfigError({
      option: "host",
      message: `this machine knows no address of ${host} (${code}).`,
      fix: "Give an address of this machine with --host: 127.0.0.1 for programs here, 0.0.0.0 for others, too.",
      cause: error,
    });
  if (code !== "EADDRINUSE" && code !== "EACCES" && code !== "EADDRNOTAVAIL") return error;
  return new ConfigError({
    option: code === "EADDRNOTAVAIL" ? "host" : "port",
    message:
      code === "EADDRINUSE" ? `${host}:${port} is in use.` : `${host}:${port} can't be bound (${code}).`,
    fix:
      code === "EADDRINUSE" && (await isGateway(host, port))
        ? "A precis server is already running there: use it, stop it, or choose another port with --port."
        : "Choose another with --port or --host.",
    cause: error,
  });
}

/** How long a gateway that is there may take to say so (milliseconds). */
const ANSWER_MS = 500;

/** Does a gateway answer at an address? */
async function isGateway(host: string, port: number): Promise<boolean> {
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}/healthz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
    .then((given) => given.json() as Promise<{ readonly version?: unknown }>)
    .catch(() => undefined);
  return typeof answer?.version === "string";
}

/** Waits for something, but not for ever. True if it was there in time. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Connections over which nothing has come yet. */
interface UnusedConnections {
  close(): void;
}

/**
 * Browsers and HTTP clients open connections ahead of the requests that may need them. Node doesn't count such a
 * connection as idle: `closeIdleConnections` leaves it open, and a server that stops would wait for a request on it.
 */
function unusedConnections(server: Server): UnusedConnections {
  const unused = new Set<Socket>();
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  return {
    close() {
      for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}

/** What is wrong with a request that isn't even HTTP, by the parser's code: status, its name, code and words. */
const FAULTS: Readonly<Record<string, readonly [number, string, string, string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request Header Fields Too Large",
    "headers-too-large",
    "the headers are too large.",
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    413,
    "Payload Too Large",
    "too-large",
    "the chunk extensions are too large.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "too-slow", "the request took too long to come."],
};
const MALFORMED = [400, "Bad Request", "bad-request", "the request isn't valid HTTP."] as const;

/** Answers a request that couldn't be read, in words, and closes its connection. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Nobody is there any more, or an answer is under way that must not be mixed with this one.
  if (error.code === "ECONNRESET" || !socket.writable || hasBegun(socket)) {
    socket.destroy(error);
    return;
  }
  const [status, name, code, words] = FAULTS[error.code ?? ""] ?? MALFORMED;
  const body = JSON.stringify(openaiError(status, { code, message: `precis: ${words}` }));
  socket.end(
    `HTTP/1.1 ${status} ${name}\r\nconnection: close\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function hasBegun(socket: Duplex): boolean {
  const { _httpMessage: message } = socket as {
    readonly _httpMessage?: { readonly headersSent: boolean } | null;
  };
  return message?.headersSent === true;
}

import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Upstream } from "./upstream.ts";

/** What went wrong, with the system's code for it. */
const WORDS: Readonly<Record<UpstreamFault["kind"], (why: string) => string>> = {
  timeout: () => "didn't answer in time.",
  broken: (why) => `broke off its answer${why}. Try again.`,
  unreachable: (why) => `can't be reached${why}. Check its address and that it is running.`,
};

/** An upstream that couldn't be reached or fell silent. */
export class UpstreamFault extends Error {
  readonly kind: "unreachable" | "timeout" | "broken";
  readonly upstream: string;

  constructor(kind: UpstreamFault["kind"], upstream: string, cause?: unknown) {
    const why = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    super(`precis: the upstream ${upstream} ${WORDS[kind](why)}`, { cause });
    this.name = "UpstreamFault";
    this.kind = kind;
    this.upstream = upstream;
  }
}

export interface Sending {
  readonly upstream: Upstream;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
}

/** A connection that was kept open may have been closed by the other side just then: such a request is sent again. */
const STALE = new Set(["ECONNRESET", "EPIPE"]);

/** Sends a request and resolves with the head of the answer. Its body is still to be read. */
export async function send(sending: Sending): Promise<IncomingMessage> {
  try {
    return await attempt(sending);
  } catch (error) {
    const stale = error instanceof StaleConnection;
    if (!stale) throw error;
    return attempt(sending);
  }
}

class StaleConnection extends Error {}

function attempt({ upstream, method, path, headers, body, signal }: Sending): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const make = upstream.secure ? httpsRequest : httpRequest;
    const request = make({
      agent: upstream.agent,
      host: upstream.host,
      port: upstream.port,
      method,
      path,
      headers,
      timeout: upstream.config.timeoutMs,
    });
    const abort = () => request.destroy();
    signal.addEventListener("abort", abort, { once: true });
    request.on("timeout", () => request.destroy(new UpstreamFault("timeout", upstream.name)));
    request.on("response", (response) => {
      // A connection may break while nobody reads; whoever reads next sees that the answer isn't whole.
      response.on("error", () => {});
      response.on("close", () => signal.removeEventListener("abort", abort));
      resolve(response);
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      signal.removeEventListener("abort", abort);
      if (signal.aborted) reject(signal.reason as Error);
      else if (error instanceof UpstreamFault) reject(error);
      else if (request.reusedSocket && STALE.has(error.code ?? "")) reject(new StaleConnection());
      else reject(new UpstreamFault("unreachable", upstream.name, error));
    });
    request.end(body);
  });
}

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { Answer } from "./answer.ts";
import { answerHeaders } from "./answer-headers.ts";
import { wasReused } from "./connect.ts";
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
    const code = codeOf(cause);
    super(`precis: the upstream ${upstream} ${WORDS[kind](code === undefined ? "" : ` (${code})`)}`, {
      cause,
    });
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

const CLOSED = "UND_ERR_SOCKET";
/** How a connection ends that the other side closed. */
const ENDED = new Set(["ECONNRESET", "EPIPE", CLOSED]);
const LATE = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** Below it an answer only says that another one follows. */
const FINAL_STATUS = 200;

/** Sends a request and resolves with the head of the answer. Its body is still to be read. */
export async function send(sending: Sending): Promise<Answer> {
  try {
    return await attempt(sending);
  } catch (error) {
    // A connection that was kept open may have been closed by the other side just then: such a request is sent again.
    const isStale = error instanceof UpstreamFault && error.kind === "unreachable" && isStaleEnd(error.cause);
    if (!isStale) throw error;
    return attempt(sending);
  }
}

function attempt({ upstream, method, path, headers, body, signal }: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Answer | undefined;
    const abort = () => {
      if (controller) controller.abort(signal.reason as Error);
      else reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
    upstream.pool.dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path,
        headers: headers as IncomingHttpHeaders,
        body: body ?? null,
      },
      {
        onRequestStart(started) {
          controller = started;
          // The client left while the connection was being made.
          if (signal.aborted) abort();
        },
        onResponseStart(source, status, received) {
          if (status < FINAL_STATUS) return;
          answer = new Answer(status, answerHeaders(received), source);
          resolve(answer);
        },
        onResponseData: (_, bytes) => answer?.push(bytes),
        onResponseEnd() {
          signal.removeEventListener("abort", abort);
          answer?.finish();
        },
        onResponseError(_, error) {
          signal.removeEventListener("abort", abort);
          const fault = faultOf(error, upstream, signal, answer ? "broken" : "unreachable");
          if (answer) answer.fail(fault);
          else reject(fault);
        },
      },
    );
  });
}

function faultOf(
  error: unknown,
  { name }: Upstream,
  signal: AbortSignal,
  kind: UpstreamFault["kind"],
): unknown {
  if (signal.aborted) return signal.reason;
  return new UpstreamFault(LATE.has(codeOf(error) ?? "") ? "timeout" : kind, name, error);
}

function isStaleEnd(cause: unknown): boolean {
  return ENDED.has(codeOf(cause) ?? "") && wasReused(cause);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import { buildConnector, Client, type Dispatcher, Pool } from "undici";
import { parseJson } from "../../core/json.ts";
import type { Fetch } from "../../models/shared/http.ts";
import { Answer, answerText, unpackStream } from "./answer.ts";
import { codeOf, UpstreamFault } from "./upstream-fault.ts";

export interface Sending {
  readonly upstream: {
    readonly name: string;
    readonly pool: Pool;
    readonly config: { readonly timeoutMs: number };
  };
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
}

const LATE = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** Below it an answer only says that another one follows. */
const FINAL_STATUS = 200;
/** Its head says how long the body would be that it doesn't have, which undici takes for a body that is missing. */
const NOT_MODIFIED = 304;
const OTHER_LENGTH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** Methods that do the same once and twice. */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

function isIdempotent(method: string, headers: OutgoingHttpHeaders): boolean {
  return IDEMPOTENT.has(method) || headers["idempotency-key"] !== undefined;
}

/** Sends a request and resolves with the head of the answer. Its body is still to be read. */
export function send(sending: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    sending.signal.throwIfAborted();
    attempt(sending, false, resolve, reject);
  });
}

/** A longer answer to a question of precis's own (models, windows, counts) isn't read (bytes). */
const MOST_JSON_BYTES = 16 * 1024 * 1024;

/** Asks an upstream something beside what clients ask. What isn't JSON is undefined. */
export async function askJson(
  sending: Sending,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const answer = await send(sending);
  const { bytes, isWhole } = await answer.whole(MOST_JSON_BYTES);
  if (!isWhole) {
    answer.drop();
    throw new Error("its answer has no end");
  }
  const text = await answerText(answer, bytes, MOST_JSON_BYTES);
  return { status: answer.statusCode, json: parseJson(text) };
}

/** A `fetch` over an upstream's own connections, for whoever takes one. */
export function fetchAt(upstream: Sending["upstream"]): Fetch {
  return async (url, { method = "GET", headers, body, signal }) => {
    const { host, pathname, search } = new URL(url);
    const packed = await send({
      upstream,
      method,
      path: pathname + search,
      headers: { "user-agent": "precis", ...(headers as Record<string, string>), host },
      body: typeof body === "string" ? Buffer.from(body) : undefined,
      signal: signal ?? new AbortController().signal,
    });
    const answer = unpackStream(packed, upstream.config.timeoutMs);
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) =>
        answer.read({
          piece: (bytes) => controller.enqueue(bytes),
          end: () => controller.close(),
          broken: (cause) => controller.error(cause),
        }),
      cancel: () => answer.drop(),
    });
    const received = Object.entries(answer.headers).filter(([, value]) => typeof value === "string");
    return new Response(stream, {
      status: answer.statusCode,
      headers: received as [string, string][],
    });
  };
}

function attempt(
  sending: Sending,
  isLast: boolean,
  resolve: (answer: Answer) => void,
  reject: (reason: unknown) => void,
): void {
  const { upstream, method, path, headers, body, signal } = sending;
  let controller: Dispatcher.DispatchController | undefined;
  let answer: Answer | undefined;
  const asking: Asking = {
    method: method as Dispatcher.HttpMethod,
    path,
    headers: headers as IncomingHttpHeaders,
    body: body ?? null,
  };
  const abort = () => {
    const reason = signal.reason as Error;
    if (controller) {
      controller.abort(reason);
      return;
    }
    // The client left while the connection was being made.
    reject(reason);
    asking.connection?.abandon(reason);
  };
  signal.addEventListener("abort", abort, { once: true });
  upstream.pool.dispatch(asking, {
    onRequestStart(started) {
      controller = started;
      if (signal.aborted) abort();
      else asking.connection?.begin();
    },
    onResponseStarted: () => asking.connection?.answered(),
    onResponseStart(source, status, received) {
      if (status < FINAL_STATUS) return;
      answer = new Answer(status, answerHeaders(received), source, upstream.config.timeoutMs);
      resolve(answer);
    },
    onResponseData: (_, bytes) => answer?.push(bytes),
    onResponseEnd() {
      signal.removeEventListener("abort", abort);
      asking.connection?.ended();
      answer?.finish();
    },
    onResponseError(_, error) {
      signal.removeEventListener("abort", abort);
      asking.connection?.failed();
      const code = codeOf(error);
      // What was written may have been carried out, and paid for: only what may be carried out twice is sent again.
      const wasWritten = controller !== undefined;
      // A connection that was kept open was closed by the other side just then.
      const isStale =
        !isLast &&
        (!wasWritten || isIdempotent(method, headers)) &&
        asking.connection?.isStale(code, wasWritten);
      if (answer?.statusCode === NOT_MODIFIED && code === OTHER_LENGTH) answer.finish();
      else if (answer) answer.fail(faultOf("broken"));
      else if (isStale && !signal.aborted) attempt(sending, true, resolve, reject);
      else reject(faultOf("unreachable"));

      function faultOf(kind: UpstreamFault["kind"]): unknown {
        if (signal.aborted) return signal.reason;
        return new UpstreamFault(LATE.has(code ?? "") ? "timeout" : kind, upstream.name, error);
      }
    },
  });
}

/** Headers of which only the first counts if there are several. */
const SINGLE = new Set([
  "age",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "last-modified",
  "location",
  "retry-after",
  "server",
]);

/** Headers of an answer, one value for each name, as Node's own client gives them. */
function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): IncomingHttpHeaders {
  const joined: Record<string, string | string[] | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    if (!Array.isArray(value) || name === "set-cookie") joined[name] = value;
    else joined[name] = SINGLE.has(name) ? value[0] : value.join(", ");
  }
  return joined;
}

const RESET = "ECONNRESET";
/** A reset under another code: undici would take `ECONNRESET` for the end of an answer that says nothing about its length. */
const WAS_RESET = "ERR_CONNECTION_RESET";

/** How a connection ends that the other side closed. */
const ENDED = new Set([RESET, WAS_RESET, "EPIPE", "UND_ERR_SOCKET"]);

/** One connection to an upstream, as the requests see it that go over it one after the other. */
class Connection {
  #socket: Socket | undefined;
  #isConnecting = false;
  #isWanted = false;
  /** Requests that were written to it. */
  #carried = 0;
  /** Something came back for the newest one. */
  #isAnswered = false;
  readonly #filter = createContinueFilter(() => {
    this.#isAnswered = true;
  });

  /** Opens connections with `connect`, each in place of the one before. */
  readonly opener =
    (connect: buildConnector.connector): buildConnector.connector =>
    (options, callback) => {
      // undici would open a connection again for a request that was given up.
      if (!this.#isWanted) {
        callback(new Error("nobody waits for this connection"), null);
        return;
      }
      this.#carried = 0;
      this.#isConnecting = true;
      const opened: unknown = connect(options, (...result) => {
        this.#isConnecting = false;
        const [, socket] = result;
        if (socket) this.#watch(socket);
        callback(...result);
      });
      this.#socket = opened instanceof Socket ? opened : undefined;
    };

  /** A request will go over it. */
  want(): void {
    this.#isWanted = true;
  }

  /** A request is about to be written. */
  begin(): void {
    this.#carried++;
    this.#isAnswered = false;
    this.#filter.arm();
  }

  /** The head of an answer begins. */
  answered(): void {
    this.#isAnswered = true;
    this.#filter.disarm();
  }

  /** An answer came to its end. One that came before its request was there leaves a connection that nobody may listen to. */
  ended(): void {
    if (this.#socket && this.#socket.writableLength > 0) this.#socket.destroy();
  }

  failed(): void {
    this.#isWanted = false;
  }

  /** Nobody waits any more for the connection that is being made. */
  abandon(reason: Error): void {
    if (this.#isConnecting) this.#socket?.destroy(reason);
  }

  /** May a failed request be sent again? Only over a connection that carried another one before, and if nothing came back. */
  isStale(code: string | undefined, wasWritten: boolean): boolean {
    if (code === undefined || !ENDED.has(code)) return false;
    return wasWritten ? this.#carried > 1 && !this.#isAnswered : this.#carried > 0;
  }

  #watch(socket: Socket): void {
    this.#socket = socket;
    socket.prependListener("error", (error: NodeJS.ErrnoException) => {
      if (error.code === RESET) error.code = WAS_RESET;
    });
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => this.#filter.pass(read(size) as Buffer | null);
  }
}

const CONTINUE = Buffer.from("HTTP/1.1 100 ");
const HEAD_END = "\r\n\r\n";
/** Longest head that may only say "go on" (bytes). */
const MAX_HEAD = 4_096;

/** Takes "100 Continue" out of what an upstream sends: some say it unasked, and undici takes it for a fault. */
interface ContinueFilter {
  /** The next bytes begin an answer. */
  arm(): void;
  disarm(): void;
  pass(bytes: Buffer | null): Buffer | null;
}

function createContinueFilter(
  /** The upstream said it, or began to. */
  onSeen: () => void,
): ContinueFilter {
  let isArmed = false;
  let buffered: Buffer | undefined;

  const strip = (bytes: Buffer): Buffer | null => {
    let rest = buffered ? Buffer.concat([buffered, bytes]) : bytes;
    buffered = undefined;
    while (beginsContinue(rest)) {
      onSeen();
      const end = rest.indexOf(HEAD_END);
      if (end < 0) {
        if (rest.length > MAX_HEAD) return rest;
        buffered = rest;
        return null;
      }
      rest = rest.subarray(end + HEAD_END.length);
      if (rest.length === 0) return null;
    }
    return rest;
  };

  return {
    arm() {
      isArmed = true;
      buffered = undefined;
    },
    disarm() {
      isArmed = false;
    },
    pass: (bytes) => (isArmed && bytes !== null ? strip(bytes) : bytes),
  };
}

/** The place of the first digit of a status, which is 1 there. */
const STATUS_AT = CONTINUE.indexOf("100");

function beginsContinue(bytes: Buffer): boolean {
  if (bytes.length > STATUS_AT && bytes[STATUS_AT] !== CONTINUE[STATUS_AT]) return false;
  const length = Math.min(bytes.length, CONTINUE.length);
  return length > 0 && bytes.compare(CONTINUE, 0, length, 0, length) === 0;
}

/** Shorter than what most servers allow, so that we rarely meet a connection that was just closed (milliseconds). */
const KEEP_ALIVE_MS = 4_000;

/** A request to a pool. It learns which connection it got. */
interface Asking extends Dispatcher.DispatchOptions {
  connection?: Connection;
}

export function createPool({ origin }: URL, timeoutMs: number): Pool {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false });
  return new Pool(origin, {
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // One request at a time on each connection: an answer may take minutes.
    pipelining: 1,
    factory: (url, options) => new WatchedClient(url, options, connect, new Connection()),
  });
}

/** One connection of a pool: it is opened again if it was closed. */
class WatchedClient extends Client {
  readonly #connection: Connection;

  constructor(url: URL, options: Client.Options, connect: buildConnector.connector, connection: Connection) {
    super(url, { ...options, connect: connection.opener(connect) });
    this.#connection = connection;
  }

  override dispatch(options: Asking, handler: Dispatcher.DispatchHandler): boolean {
    this.#connection.want();
    options.connection = this.#connection;
    return super.dispatch(options, handler);
  }
}

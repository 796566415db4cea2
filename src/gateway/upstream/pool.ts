import { buildConnector, Client, type Dispatcher, Pool } from "undici";
import { Connection } from "./connection.ts";

/** Shorter than what most servers allow, so that we rarely meet a connection that was just closed (milliseconds). */
const KEEP_ALIVE_MS = 4_000;

/** A request to a pool. It learns which connection it got. */
export interface Asking extends Dispatcher.DispatchOptions {
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

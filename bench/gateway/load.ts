import { Agent, request as httpRequest } from "node:http";

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/** Sends requests over `connections` kept-alive connections for `ms` and measures. */
export async function load(options: {
  /** Of several, each request of a connection goes to the next one. */
  readonly url: string | readonly string[];
  readonly path: string;
  readonly connections: number;
  readonly ms: number;
  /** It ends earlier when so many requests were answered. */
  readonly requests?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bodies of one connection, one after the other. */
  bodies(connection: number): () => Buffer;
}): Promise<LoadResult> {
  const { url, path, connections, ms } = options;
  const places = [url].flat().map((one) => new URL(one));
  const clients = nodeClients(connections);
  const headers = { "content-type": "application/json", ...options.headers };
  const times: number[] = [];
  const most = options.requests ?? Number.POSITIVE_INFINITY;
  let failed = 0;
  const once = async (place: URL, body: Buffer): Promise<void> => {
    const started = performance.now();
    const status = await clients.ask(place, path, headers, body);
    if (status !== undefined) times.push(performance.now() - started);
    if (status !== 200) failed++;
  };
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const next = options.bodies(connection);
      for (let n = connection; performance.now() - started < ms && times.length < most; n++)
        await once(places[n % places.length]!, next());
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  clients.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), failed };
}

/** Who asks: each of them has as many connections as requests are under way. */
interface Clients {
  /** Resolves with the status when the whole answer is there, or with undefined if it failed. */
  ask(
    url: URL,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Promise<number | undefined>;
  close(): void;
}

/** As programs in Node ask. They take nearly as much of the machine as a minimal proxy does. */
export function nodeClients(connections: number): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    ask: ({ hostname, port }, path, headers, body) =>
      new Promise((resolve) => {
        const request = httpRequest(
          {
            agent,
            host: hostname,
            port,
            method: "POST",
            path,
            headers: { "content-length": body.length, ...headers },
          },
          (answer) => {
            answer.resume();
            answer.on("close", () => resolve(answer.statusCode));
          },
        );
        request.on("error", () => resolve(undefined));
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

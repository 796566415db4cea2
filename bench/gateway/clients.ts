import { Agent, request as httpRequest } from "node:http";
import { Client } from "undici";

/** Who asks: each of them has as many connections as requests are under way. */
export interface Clients {
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

/** With three fifths of the work, so that more of the machine is left to what is measured. */
export function lightClients(): Clients {
  const idle = new Map<string, Client[]>();
  const all: Client[] = [];
  const take = (origin: string): Client => {
    const free = idle.get(origin)?.pop();
    if (free) return free;
    const made = new Client(origin, { pipelining: 1 });
    all.push(made);
    return made;
  };
  const give = (origin: string, client: Client): void => {
    const free = idle.get(origin);
    if (free) free.push(client);
    else idle.set(origin, [client]);
  };
  return {
    ask: ({ origin }, path, headers, body) =>
      new Promise((resolve) => {
        const client = take(origin);
        let status: number | undefined;
        const end = (result: number | undefined): void => {
          give(origin, client);
          resolve(result);
        };
        client.dispatch(
          { method: "POST", path, headers, body },
          {
            onRequestStart() {},
            onResponseStart(_, code) {
              status = code;
            },
            onResponseData() {},
            onResponseEnd: () => end(status),
            onResponseError: () => end(undefined),
          },
        );
      }),
    close() {
      for (const client of all) client.destroy().catch(() => {});
    },
  };
}

import { Agent, request as httpRequest } from "node:http";

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

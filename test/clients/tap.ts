import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

/** Header that tells a client's own requests from those that the gateway makes for itself. */
export const FROM_CLIENT = "x-test-client";

/** One request of a client and what it got for it. */
export interface Tapped {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** 0 while there is no answer. */
  status: number;
  /** What the gateway says that it did. */
  action: string | undefined;
  /** The answer ended before it was complete. */
  broken: boolean;
  /** The end of the answer, for messages of failed tests. */
  answerEnd: string;
}

/** Stands between a client and the gateway, passes everything on as it is and writes it down. */
export interface Tap {
  readonly url: string;
  readonly requests: readonly Tapped[];
  /** From now on everything goes to this gateway. */
  retarget(gateway: string): void;
  close(): Promise<void>;
}

const END_CHARS = 400;

export async function startTap(gateway: string): Promise<Tap> {
  const requests: Tapped[] = [];
  let target = new URL(gateway);
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const raw = Buffer.concat(pieces);
      const tapped: Tapped = {
        method: request.method ?? "GET",
        path: request.url ?? "/",
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: parsed(raw),
        status: 0,
        action: undefined,
        broken: false,
        answerEnd: "",
      };
      requests.push(tapped);
      const outgoing = forward(
        {
          host: target.hostname,
          port: target.port,
          method: tapped.method,
          path: tapped.path,
          headers: { ...request.headers, host: target.host, [FROM_CLIENT]: "1" },
        },
        (answer) => {
          tapped.status = answer.statusCode ?? 0;
          tapped.action = answer.headers["x-precis-action"] as string | undefined;
          response.writeHead(tapped.status, answer.headers);
          answer.on("data", (piece: Buffer) => {
            tapped.answerEnd = (tapped.answerEnd + piece.toString()).slice(-END_CHARS);
          });
          answer.on("close", () => {
            tapped.broken = !answer.complete;
            if (tapped.broken) response.destroy();
          });
          answer.pipe(response);
        },
      );
      outgoing.on("error", () => {
        tapped.broken = true;
        response.destroy();
      });
      response.on("close", () => {
        if (!response.writableFinished) outgoing.destroy();
      });
      outgoing.end(raw);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    retarget(next) {
      target = new URL(next);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parsed(raw: Buffer): Tapped["body"] {
  try {
    return JSON.parse(raw.toString()) as Tapped["body"];
  } catch {
    return undefined;
  }
}

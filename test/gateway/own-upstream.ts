import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An upstream that answers as a test says, and remembers what it got. */
export interface OwnUpstream {
  readonly url: string;
  readonly seen: { readonly body: Buffer; readonly request: IncomingMessage }[];
  close(): Promise<unknown>;
}

export async function startUpstream(
  answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void,
): Promise<OwnUpstream> {
  const seen: OwnUpstream["seen"] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      seen.push({ body, request });
      answer(request, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

/** A request with a JSON body. */
export function post(
  url: string,
  body: string | Buffer | object,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    ...(signal && { signal }),
    body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
}

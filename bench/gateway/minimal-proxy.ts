import { Agent, createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

/** The least that a gateway in Node does: parse, serialise again, pipe the answer. What precis is measured against. */

const upstream = new URL(process.argv[2]!);
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const body = Buffer.from(JSON.stringify(JSON.parse(Buffer.concat(pieces).toString())));
    const sent = httpRequest(
      {
        agent,
        host: upstream.hostname,
        port: upstream.port,
        method: "POST",
        path: request.url,
        headers: { "content-type": "application/json", "content-length": body.length },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    sent.on("error", () => response.destroy());
    sent.end(body);
  });
});
server.listen(0, "127.0.0.1", () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);

// Whoever started it is gone.
process.on("disconnect", () => process.exit(0));

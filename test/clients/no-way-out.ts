import { type AddressInfo, createServer } from "node:net";

/** A proxy that refuses everything and remembers the hosts that were asked for. */
export interface NoWayOut {
  readonly url: string;
  readonly hosts: ReadonlySet<string>;
  close(): Promise<void>;
}

export async function startNoWayOut(): Promise<NoWayOut> {
  const hosts = new Set<string>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (piece) => {
      const target = piece.toString("latin1").split("\r\n")[0]?.split(" ")[1] ?? "";
      hosts.add(target.replace(/^https?:\/\//, "").replace(/[/:].*$/, ""));
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hosts,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

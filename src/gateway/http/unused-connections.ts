import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections over which nothing has come yet. */
export interface UnusedConnections {
  close(): void;
}

/**
 * Browsers and HTTP clients open connections ahead of the requests that may need them. Node doesn't count such a
 * connection as idle: `closeIdleConnections` leaves it open, and a server that stops would wait for a request on it.
 */
export function unusedConnections(server: Server): UnusedConnections {
  const unused = new Set<Socket>();
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  return {
    close() {
      for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}

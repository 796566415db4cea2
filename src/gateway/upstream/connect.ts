import { buildConnector } from "undici";

/** Errors of connections that had carried an answer before. */
const ofReused = new WeakSet<object>();

/** Had the connection that ended with this error carried an answer before? Then it may just have been kept open too long. */
export function wasReused(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if (ofReused.has(error)) return true;
  const socket = "socket" in error ? error.socket : undefined;
  return hasBytesRead(socket) && socket.bytesRead > 0;
}

function hasBytesRead(socket: unknown): socket is { readonly bytesRead: number } {
  return (
    typeof socket === "object" &&
    socket !== null &&
    "bytesRead" in socket &&
    typeof socket.bytesRead === "number"
  );
}

/** Opens connections of which `wasReused` can be asked. */
export function createConnector(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false });
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      socket?.prependListener("error", (error) => {
        if (socket.bytesRead > 0) ofReused.add(error);
      });
      callback(...result);
    });
}

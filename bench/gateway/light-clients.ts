import { createConnection } from "node:net";
import type { Clients } from "./clients.ts";

/**
 * Over bare sockets, with a fraction of that work, so that the machine is left to what is measured. They read of an answer
 * just what they need to see its end.
 */
export function lightClients(): Clients {
  const idle = new Map<string, Connection[]>();
  const all: Connection[] = [];
  const take = (place: URL): Connection => {
    const free = idle.get(place.host)?.pop();
    if (free) return free;
    const made = connect(place);
    all.push(made);
    return made;
  };
  return {
    async ask(place, path, headers, body) {
      const connection = take(place);
      const status = await connection.ask(headOf(place, path, headers, body.length), body);
      if (status === undefined) return undefined;
      const free = idle.get(place.host);
      if (free) free.push(connection);
      else idle.set(place.host, [connection]);
      return status;
    },
    close() {
      for (const connection of all) connection.close();
    },
  };
}

function headOf(
  { host }: URL,
  path: string,
  headers: Readonly<Record<string, string>>,
  length: number,
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join("")}content-length: ${length}\r\n\r\n`;
}

interface Connection {
  ask(head: string, body: Buffer): Promise<number | undefined>;
  close(): void;
}

/** An answer comes into the same memory piece by piece. */
const READ_BYTES = 64 * 1_024;
const CHUNKED_END = "0\r\n\r\n";

function connect({ hostname, port }: URL): Connection {
  let done: ((status: number | undefined) => void) | undefined;
  let status: number | undefined;
  /** Bytes of the body that are still to come; undefined: it ends with an empty chunk. */
  let left: number | undefined;
  /** Of a head that isn't all there, or of the last bytes that may be a part of the end. */
  let before = "";

  const end = (result: number | undefined): void => {
    const tell = done;
    done = undefined;
    status = undefined;
    before = "";
    tell?.(result);
  };
  const read = (bytes: number, memory: Uint8Array): boolean => {
    let text = Buffer.from(memory.buffer, memory.byteOffset, bytes).toString("latin1");
    if (status === undefined) {
      text = before + text;
      const body = text.indexOf("\r\n\r\n") + 4;
      if (body < 4) {
        before = text;
        return true;
      }
      const head = text.slice(0, body);
      status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      left = length === undefined ? undefined : Number(length);
      before = "";
      text = text.slice(body);
    }
    if (left === undefined) {
      before = (before + text).slice(-CHUNKED_END.length);
      if (before === CHUNKED_END) end(status);
    } else {
      left -= text.length;
      if (left <= 0) end(status);
    }
    return true;
  };
  const socket = createConnection({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: { buffer: new Uint8Array(READ_BYTES), callback: read },
  });
  socket.on("error", () => end(undefined));
  socket.on("close", () => end(undefined));
  return {
    ask: (head, body) =>
      new Promise((resolve) => {
        done = resolve;
        if (socket.destroyed) {
          end(undefined);
          return;
        }
        const bytes = Buffer.allocUnsafe(head.length + body.length);
        bytes.write(head, "latin1");
        bytes.set(body, head.length);
        socket.write(bytes);
      }),
    close: () => socket.destroy(),
  };
}

import type { IncomingMessage } from "node:http";
import { UpstreamFault } from "./send.ts";

/** The whole body of an answer. */
export function readAll(answer: IncomingMessage, upstream: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    answer.on("data", (piece: Buffer) => pieces.push(piece));
    answer.on("end", () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)));
    answer.on("error", (error) => reject(new UpstreamFault("broken", upstream, error)));
    answer.on("close", () => {
      if (!answer.complete) reject(new UpstreamFault("broken", upstream));
    });
  });
}

import type { IncomingMessage } from "node:http";
import { UpstreamFault } from "./send.ts";

/** The whole body of an answer. */
export function readAll(answer: IncomingMessage, upstream: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    answer.on("data", (piece: Buffer) => pieces.push(piece));
    const end = () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    answer.on("end", end);
    // A short answer of which the beginning was read may be at its end already.
    if (answer.readableEnded) end();
    answer.on("error", (error) => reject(new UpstreamFault("broken", upstream, error)));
    // Also one that had come whole, but was given up before anybody read it.
    const broken = () => {
      if (!answer.readableEnded) reject(new UpstreamFault("broken", upstream));
    };
    if (answer.destroyed) broken();
    answer.resume();
    answer.on("close", broken);
  });
}

import type { Answer } from "./answer.ts";

/** The whole body of an answer. */
export function readAll(answer: Answer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    answer.read({
      piece: (bytes) => pieces.push(bytes),
      end: () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)),
      broken: reject,
    });
  });
}

import { areUnpackable, codingsIn, createUnpacker } from "../http/codings.ts";
import { Answer } from "./answer.ts";

/**
 * A streamed answer without its compression: some servers pack events though they are asked not to, and whoever reads them on
 * their way needs their text. One that isn't packed, or in a way that nobody knows, is the same answer.
 */
export function unpackStream(answer: Answer, patienceMs: number): Answer {
  const names = codingsIn(answer.headers["content-encoding"]);
  if (!areUnpackable(names)) return answer;
  return names.reduce((packed, coding) => unpackOne(packed, coding, patienceMs), answer);
}

function unpackOne(answer: Answer, coding: string, patienceMs: number): Answer {
  const { "content-encoding": _, "content-length": __, ...headers } = answer.headers;
  // What a server hasn't flushed at its end is no reason to lose the rest.
  const decoder = createUnpacker(coding, { isLenient: true });
  const unpacked = new Answer(
    answer.statusCode,
    headers,
    {
      pause: () => decoder.pause(),
      resume: () => decoder.resume(),
      abort() {
        answer.drop();
        decoder.destroy();
      },
    },
    patienceMs,
  );
  decoder.on("data", (bytes: Buffer) => unpacked.push(bytes));
  decoder.on("end", () => unpacked.finish());
  decoder.on("error", (cause) => {
    answer.drop();
    unpacked.fail(cause);
  });
  answer.read({
    piece(bytes) {
      if (decoder.write(bytes)) return;
      answer.pause();
      decoder.once("drain", () => answer.resume());
    },
    end: () => decoder.end(),
    broken(cause) {
      unpacked.fail(cause);
      decoder.destroy();
    },
  });
  return unpacked;
}

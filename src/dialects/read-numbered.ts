import { TranscriptError } from "../core/errors.ts";
import type { Dialect, Message } from "../core/types.ts";

/** Reads messages of a file. Of one that can't be read, the error says which it is. */
export function readNumbered(
  dialect: Pick<Dialect<unknown>, "read">,
  messages: readonly unknown[],
): Message[] {
  return messages.map((message, index) => {
    try {
      return dialect.read(message);
    } catch (error) {
      if (!(error instanceof TranscriptError) || error.index !== undefined) throw error;
      const words = error.message.replace(/^precis: /, "").replace(` ${error.fix}`, "");
      throw new TranscriptError({ message: words, fix: error.fix, index, cause: error });
    }
  });
}

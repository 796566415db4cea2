import { problemOf, TranscriptError } from "./errors.ts";
import type { Dialect, Message } from "./types.ts";

/** Reads the messages of a transcript. Of one that can't be read, the error says which it is. */
export function readMessages<M>(dialect: Pick<Dialect<M>, "read">, transcript: readonly M[]): Message[] {
  const messages: Message[] = [];
  // Unlike `map`, this visits the holes of a list.
  for (let index = 0; index < transcript.length; index++) {
    try {
      messages.push(dialect.read(transcript[index]!));
    } catch (error) {
      if (!(error instanceof TranscriptError) || error.index !== undefined) throw error;
      throw new TranscriptError({ message: problemOf(error), fix: error.fix, index, cause: error });
    }
  }
  return messages;
}

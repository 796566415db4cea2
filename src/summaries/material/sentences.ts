/** Where a sentence ends, in scripts with and without spaces between words. Not after a single capital letter or a digit: `J. Doe`, `3. item`. */
const END = /(?<=[^\s\p{Lu}\d][.!?;…]["')\]*`]*)\s+(?=\S)|(?<=[。！？।；])/gu;

export function sentencesOf(line: string): string[] {
  return line.split(END).filter((sentence) => sentence.trim() !== "");
}

/** Where a sentence of a whole text ends: at a line break, and at a mark that a blank follows. The points in `queue.test.ts` and `osby.db` end nothing. */
const SPOKEN_END = /(?<=[.!?…]["'”’»)\]*`]{0,8})\s+|(?<=[。！？।\n])/u;

/** The sentences of a text of several lines, each with what stands in it. */
export function spokenSentences(text: string): string[] {
  return text.split(SPOKEN_END).filter((sentence) => sentence.trim() !== "");
}

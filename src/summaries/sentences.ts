/** Where a sentence ends, in scripts with and without spaces between words. Not after a single capital letter or a digit: `J. Doe`, `3. item`. */
const END = /(?<=[^\s\p{Lu}\d][.!?;…]["')\]*`]*)\s+(?=\S)|(?<=[。！？।；])/gu;

/** The sentences of a line. */
export function sentencesOf(line: string): string[] {
  return line.split(END).filter((sentence) => sentence.trim() !== "");
}

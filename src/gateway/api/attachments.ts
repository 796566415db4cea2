/** A text that goes along with a message: a file, or a long paste. */
export interface Attachment {
  readonly name: string;
  readonly text: string;
}

const CLOSES = "\n</attachment>";
const OPENS = /(?:^|\n\n)<attachment name="([^"\n]*)">\n/;
const BETWEEN = /\n<\/attachment>\n\n<attachment name="([^"\n]*)">\n/;

/** What a person says with what is attached to it: to a model both are one text. */
export function withAttachments(words: string, attachments: readonly Attachment[]): string {
  const attached = attachments.map(
    ({ name, text }) => `<attachment name="${name.replace(/["<>\n]/g, "'")}">\n${text}${CLOSES}`,
  );
  return [words, ...attached].filter((piece) => piece !== "").join("\n\n");
}

/** A message's words, and what is attached to them. */
export function splitAttachments(message: string): {
  readonly words: string;
  readonly attachments: readonly Attachment[];
} {
  const first = OPENS.exec(message);
  if (!first || !message.endsWith(CLOSES)) return { words: message, attachments: [] };
  const rest = message.slice(first.index + first[0].length, -CLOSES.length);
  // A name, a text, a name, a text.
  const pieces = [first[1]!, ...rest.split(BETWEEN)];
  return {
    words: message.slice(0, first.index),
    attachments: pieces.flatMap((name, n) => (n % 2 === 0 ? [{ name, text: pieces[n + 1] ?? "" }] : [])),
  };
}

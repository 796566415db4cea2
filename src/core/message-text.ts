import type { Message } from "./types.ts";

/** What a message says in words of its own: no calls, results, files or reasoning. */
export function saidText({ parts }: Pick<Message, "parts">): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** What a reader sees of a message: its texts, calls, results and files. */
export function readableText({ parts }: Pick<Message, "parts">): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case "text":
        case "tool-result":
          return part.text;
        case "tool-call":
          return `${part.name} ${part.args}`;
        case "file":
          return part.text ?? "";
        default:
          return "";
      }
    })
    .join("\n");
}

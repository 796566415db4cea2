import type { Message, Part } from "./types.ts";

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

/** What a part says, asks for or brings back; empty for files, pictures and reasoning. */
export function textOrArgs(part: Part): string {
  if (part.type === "tool-call") return part.args;
  return part.type === "text" || part.type === "tool-result" ? part.text : "";
}

/** Files and pictures cost by formulas that nobody vouches for. */
export function holdsMedia({ parts }: Pick<Message, "parts">): boolean {
  return parts.some(
    (part) =>
      ["image", "file", "frame"].includes(part.type) || (part.type === "tool-result" && part.media?.length),
  );
}

/** Characters that a message keeps in memory, about. */
export function charsOf({ parts }: Pick<Message, "parts">): number {
  return parts.reduce((sum, part) => {
    if (part.type === "tool-call") return sum + part.args.length;
    if (part.type === "other") return sum + part.json.length;
    const media = part.type === "tool-result" ? (part.media ?? []) : [];
    const sources = media.reduce((all, { source }) => all + source.length, 0);
    return (
      sum +
      sources +
      ("source" in part ? part.source.length : 0) +
      ("text" in part ? (part.text?.length ?? 0) : 0)
    );
  }, 0);
}

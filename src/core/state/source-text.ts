import { canonicalArgs } from "../chain.ts";
import type { Message } from "../types.ts";

/**
 * The texts of a message as one, in the form that its hash stands for: where the hash is the same, so are the characters,
 * whatever spaces a client has changed since.
 */
export function sourceText(message: Message): string {
  const texts: string[] = [];
  for (const part of message.parts) {
    if (part.type === "text") texts.push(message.role === "assistant" ? part.text.trim() : part.text);
    else if (part.type === "tool-result") texts.push(part.text);
    else if (part.type === "tool-call") texts.push(canonicalArgs(part.asDoubles ?? part.args));
  }
  const said = texts.filter((text) => text !== "");
  // To join one text would copy it, all of its megabytes.
  return said.length === 1 ? said[0]! : said.join("\n");
}

/** Size of a transcript, for limits that follow it. */
export function charactersOf(messages: readonly Message[]): number {
  let sum = 0;
  for (let index = 0; index < messages.length; index++) {
    const { parts } = messages[index]!;
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!;
      if (part.type === "text" || part.type === "tool-result" || part.type === "reasoning")
        sum += part.text.length;
      else if (part.type === "tool-call") sum += part.args.length;
    }
  }
  return sum;
}

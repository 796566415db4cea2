import { textBetween } from "../../core/first-characters.ts";
import { textOrArgs } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import type { MustKeep } from "../keep/must-keep.ts";
import { contain, nest } from "../text/marker-tag.ts";

/** Characters around an item that say what it is about. */
const BEFORE = 160;
const AFTER = 160;
/** More would be the conversation again (characters). */
const MAX_EXCERPTS = 12_000;

/** The places that items stand in, each item once, in the order of the messages: all that a model needs to work them in. */
export function renderExcerpts(messages: readonly Message[], items: readonly MustKeep[]): string {
  const byMessage = new Map<number, Set<string>>();
  for (const item of items) {
    const excerpt = excerptOf(messages[item.message], item);
    if (excerpt === undefined) continue;
    const excerpts = byMessage.get(item.message) ?? new Set();
    byMessage.set(item.message, excerpts.add(excerpt));
  }
  const rendered: string[] = [];
  let length = 0;
  for (const [index, excerpts] of [...byMessage].sort(([a], [b]) => a - b)) {
    const text = nest("message", contain([...excerpts].join("\n")), {
      index: index + 1,
      role: messages[index]!.role,
    });
    length += text.length;
    if (length > MAX_EXCERPTS) break;
    rendered.push(text);
  }
  return rendered.join("\n");
}

/** The stretch of a message around an item, as one line. */
function excerptOf(message: Message | undefined, item: MustKeep): string | undefined {
  for (const part of message?.parts ?? []) {
    const text = textOrArgs(part);
    const at = text.toLowerCase().indexOf(item.text.toLowerCase());
    if (at < 0) continue;
    const from = Math.max(0, at - BEFORE);
    const to = Math.min(text.length, at + item.text.length + AFTER);
    const line = textBetween(text, from, to).replace(/\s+/g, " ").trim();
    return `${from > 0 ? "… " : ""}${line}${to < text.length ? " …" : ""}`;
  }
  return undefined;
}

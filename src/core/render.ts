import type { Dialect, Entry } from "./types.ts";

/** Between a system prompt and what is appended to it. */
const SYSTEM_GLUE = "\n\n";

/** A view in wire form. */
export interface Rendered<M> {
  readonly messages: M[];
  readonly system: unknown;
}

/**
 * The entries as wire messages. What is kept leaves as the very same object, unless it carries a mark of precis's own, which no
 * provider knows. In a format that keeps the system prompt apart, inserted system messages go into it.
 */
export function renderView<M>(options: {
  readonly dialect: Dialect<M>;
  readonly transcript: readonly M[];
  readonly entries: readonly Entry[];
  readonly system: unknown;
  readonly extras?: readonly M[] | undefined;
}): Rendered<M> {
  const { dialect, transcript, entries } = options;
  const messages: M[] = [];
  const unmarked = (message: M): M => dialect.unmarked?.(message) ?? message;
  let system = options.system;
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!;
    switch (entry.type) {
      case "keep":
        messages.push(unmarked(transcript[entry.index]!));
        break;
      case "edit":
        messages.push(unmarked(dialect.edit(transcript[entry.index]!, entry.edits)));
        break;
      case "insert":
        if (entry.message.role === "system" && dialect.rules.system === "apart") {
          system = appendSystem(dialect, system, entry.message.text);
        } else if (!entry.merged) messages.push(dialect.write(entry.message));
        break;
      case "drop":
        break;
      default:
        entry satisfies never;
    }
  }
  if (options.extras) messages.push(...options.extras.map(unmarked));
  return { messages, system };
}

/** The system prompt of a format that keeps it apart, as a message that the dialect can read and edit. */
export function systemMessage<M>(system: unknown): M {
  return { role: "system", content: system } as M;
}

/** A system prompt of a format that keeps it apart, with a text behind it. */
export function appendSystem<M>(dialect: Dialect<M>, system: unknown, text: string): unknown {
  if (system === undefined || system === null || system === "") return text;
  if (typeof system === "string") return `${system}${SYSTEM_GLUE}${text}`;
  const edited = dialect.edit(systemMessage<M>(system), [{ type: "append", text, why: "summary" }]);
  return (edited as { content: unknown }).content;
}

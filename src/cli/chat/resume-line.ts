import type { ParsedFlags } from "../parse-flags.ts";
import { shortId } from "../short-names.ts";

/** Flags that tell where the conversation is and who answers. */
const SAID_AGAIN = ["db", "config", "upstream", "server", "key-env"] as const;

/** The command that goes on with a conversation: with the flags without which it wouldn't be found. */
export function resumeLine(id: string, flags: Pick<ParsedFlags, "value">): string {
  const again = SAID_AGAIN.flatMap((name) => {
    const value = flags.value(name);
    return value === undefined ? [] : [`--${name}`, quoted(withoutPassword(value))];
  });
  return ["precis chat --resume", shortId(id), ...again].join(" ");
}

/** A screen is no place for a password; whoever gave it knows it. */
function withoutPassword(text: string): string {
  if (!/^\w+:\/\//.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.password === "") return text;
  url.password = "";
  return url.href;
}

/** As a shell takes it for one word. */
const quoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

import type { IncomingHttpHeaders } from "node:http";
import { RequestFault } from "../http/request-fault.ts";
import { headerOf } from "../http/send-json.ts";

/** Session headers that real clients send: Claude Code, Codex, opencode. */
const CLIENT_HEADERS = [
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "x-session-id",
  "x-session-affinity",
  "conversation_id",
];
const MAX_CHARS = 200;

/** The client's own name for the conversation. */
export interface Session {
  readonly name: string;
  /** `asked`: by our own header, so it decides. `client`: shared by a client's side calls, so it is only a hint. */
  readonly source: "asked" | "client";
}

export function sessionOf(headers: IncomingHttpHeaders): Session | undefined {
  const asked = headerOf(headers, "x-precis-session");
  if (asked !== undefined) {
    if (asked.length > MAX_CHARS || !/^[\x21-\x7e]+$/.test(asked))
      throw new RequestFault(
        400,
        "invalid",
        `precis: the header x-precis-session must be at most ${MAX_CHARS} visible ASCII characters.`,
      );
    if (isReservedSession(asked))
      throw new RequestFault(
        400,
        "invalid",
        `precis: the header x-precis-session is ${JSON.stringify(asked)}; names that begin with precis: are reserved. Choose another one.`,
      );
    return { name: asked, source: "asked" };
  }
  for (const header of CLIENT_HEADERS) {
    const name = headerOf(headers, header);
    if (name === undefined || name.length > MAX_CHARS || isReservedSession(name)) continue;
    if (/^[\x21-\x7e]+$/.test(name)) return { name, source: "client" };
  }
  return undefined;
}

/** The program that sends a request, by the first word of its `User-Agent`: `claude-cli` of `claude-cli/2.1 (external)`. */
export function programOf(headers: IncomingHttpHeaders): string {
  const [name = ""] = headerOf(headers, "user-agent")?.split(/[/\s]/, 1) ?? [];
  return /^[\x21-\x7e]{1,60}$/.test(name) ? name : "unknown client";
}

/** Names of sessions that begin like this are precis's own. */
const RESERVED = "precis:";

/** By this name, the conversation that was made of an example of the page is found again. */
export const exampleSession = (file: string): string => `${RESERVED}example:${file}`;

/** May a client or an upstream not give a conversation this name? What it says would stand among precis's own data. */
export function isReservedSession(name: string): boolean {
  return name.toLowerCase().startsWith(RESERVED);
}

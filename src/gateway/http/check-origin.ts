import type { IncomingHttpHeaders } from "node:http";
import { isLoopback } from "../../config/loopback.ts";
import { RequestFault } from "./request-fault.ts";

export interface OriginRules {
  /** Bound to this machine only: then only its own names are right ones. */
  readonly loopback: boolean;
  readonly hosts: readonly string[];
  readonly cors: readonly string[];
}

/**
 * Refuses requests that another website makes a browser send here: a page of a stranger that calls this machine, or one
 * whose name was made to point at it (DNS rebinding).
 */
export function checkOrigin(headers: IncomingHttpHeaders, rules: OriginRules): void {
  const host = headers.host ?? "";
  const name = host.replace(/:\d+$/, "");
  if (rules.loopback && !isLoopback(name) && !rules.hosts.includes(name))
    throw new RequestFault(
      421,
      "wrong-host",
      `precis: this server isn't called ${JSON.stringify(name)}. Use 127.0.0.1 or localhost, or list the name in hosts.`,
    );
  const { origin } = headers;
  if (origin === undefined || rules.cors.includes(origin) || rules.cors.includes("*")) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new RequestFault(
    403,
    "wrong-origin",
    `precis: pages of ${JSON.stringify(origin)} may not call this server. List the origin in cors to allow it.`,
  );
}

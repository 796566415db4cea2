import type { IncomingHttpHeaders } from "node:http";
import type { Client } from "../auth/client.ts";
import type { Gateway } from "../gateway.ts";
import { RequestFault } from "../wires/request-fault.ts";
import type { Busy } from "./busy.ts";

/** What a handler of `/api` works with. */
export interface ApiContext {
  readonly gateway: Gateway;
  readonly busy: Busy;
  readonly client: Client;
  readonly tenant: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the page goes away. */
  readonly signal: AbortSignal;
  param(name: string): string;
  query(name: string): string | undefined;
  /** The checked body. */
  body<T>(schema: { safeParse(value: unknown): Parsed<T> }): Promise<T>;
}

type Parsed<T> =
  | { readonly success: true; readonly data: T }
  | {
      readonly success: false;
      readonly error: {
        readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
      };
    };

export function notFound(what: string): RequestFault {
  return new RequestFault(404, "not-found", `There is no ${what}.`);
}

export function numberQuery(context: ApiContext, name: string): number | undefined {
  const value = context.query(name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new RequestFault(400, "invalid", `${name} must be a whole number.`);
}

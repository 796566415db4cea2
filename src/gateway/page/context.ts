import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Client } from "../http/client.ts";
import type { Gateway } from "../gateway.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Busy } from "../telemetry/busy.ts";

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
  body<T extends z.ZodType>(schema: T): Promise<z.output<T>>;
}

export function notFound(what: string): RequestFault {
  return new RequestFault(404, "not-found", `There is no ${what}.`);
}

/** A field that can't be as it is. `problem` begins with what was given. */
export function invalid(field: string, problem: string, fix: string): RequestFault {
  const isWhole = field === "";
  return new RequestFault(400, "invalid", `${isWhole ? "the body" : field}: ${problem}.`, {
    ...(!isWhole && { field }),
    fix,
  });
}

export function numberQuery(context: ApiContext, name: string): number | undefined {
  const value = context.query(name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0) return number;
  throw invalid(name, `${JSON.stringify(value)} is no whole number`, "Give a whole number from 0.");
}

import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import { isCursor } from "../../stores/shared/pages.ts";
import type { AnswerOf, routes } from "../api.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { ConversationParts } from "../conversation/conversation-parts.ts";
import type { Authenticate, Client, LimitStreams } from "../http/admit.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Requests } from "../requests/requests.ts";
import type { Busy } from "../telemetry/busy.ts";
import type { OwnUpstreams } from "../upstream/own-upstreams.ts";

export interface PageParts extends ConversationParts {
  readonly requests: Requests;
  readonly version: string;
  readonly authenticate: Authenticate;
  readonly limitRate: (client: Client) => void;
  readonly limitStreams: LimitStreams;
  readonly ownUpstreams: OwnUpstreams;
  /** One person's server, in one process: models may be added on the page. */
  readonly canAddModels: boolean;
  /** Aborted when no new connections are taken any more. */
  readonly draining: AbortSignal;
}

/** A handler of each route: JSON routes return their answer, streams and files a `Response`. */
export type Handlers = {
  readonly [K in keyof typeof routes]: (
    context: ApiContext,
  ) => Promise<AnswerOf<(typeof routes)[K]> | Response>;
};

/** What a handler of `/api` works with. */
export interface ApiContext {
  readonly gateway: PageParts;
  readonly busy: Busy;
  readonly client: Client;
  readonly tenant: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the page goes away. */
  readonly signal: AbortSignal;
  param(name: string): string;
  query(name: string): string | undefined;
  body<T extends z.ZodType>(schema: T): Promise<z.output<T>>;
}

/** A field that can't be as it is. `problem` begins with what was given. */
export function invalid(field: string, problem: string, fix: string): RequestFault {
  const isWhole = field === "";
  return new RequestFault(400, "invalid", `${isWhole ? "the body" : field}: ${problem}.`, {
    ...(!isWhole && { field }),
    fix,
  });
}

/** What a body says, as it may be stored: with `redact` without its secrets. */
export async function bodyToStore<T extends z.ZodType>(
  { gateway, body }: ApiContext,
  schema: T,
): Promise<z.output<T>> {
  const said = await body(schema);
  return gateway.config.redact ? (JSON.parse(redactSecrets(JSON.stringify(said))) as typeof said) : said;
}

export function numberQuery(context: ApiContext, name: string): number | undefined {
  const value = context.query(name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw invalid(name, `${JSON.stringify(value)} isn't a whole number`, "Give a whole number from 0.");
}

/** A field that was given. */
export const given = (value: string | undefined): string | undefined => (value === "" ? undefined : value);

/** One of a few words; anything else is refused, because an empty list would be taken for an answer. */
export function oneOf<T extends string>(
  context: ApiContext,
  name: string,
  words: readonly T[],
): T | undefined {
  const value = given(context.query(name));
  const found = words.find((word) => word === value);
  if (value === undefined || found !== undefined) return found;
  throw invalid(name, `there is no ${JSON.stringify(value)}`, `Give one of ${words.join(", ")}.`);
}

/** The place in a list where the page before ended. */
export function cursorQuery(context: ApiContext): string | undefined {
  const value = context.query("cursor");
  if (value === undefined || isCursor(value)) return value;
  throw invalid("cursor", "it isn't one of a page before", "Leave it out to begin with the first page.");
}

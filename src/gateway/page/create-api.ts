import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { explainIssue } from "../../config/explain-issue.ts";
import { stringifyDeep } from "../../core/json.ts";
import { exactCounter } from "../../tokens/index.ts";
import { type Route, routes } from "../api.ts";
import { checkValues } from "../http/body-thread.ts";
import { type BodyLimit, decodeBody, LARGE_BYTES, parseBody, readBody } from "../http/read-body.ts";
import { RequestFault } from "../http/request-fault.ts";
import { INERT } from "../http/send-json.ts";
import { apiError } from "../requests/describe-failure.ts";
import { type ApiContext, type Handlers, invalid, type PageParts } from "./context.ts";
import { chatHandlers } from "./handlers/chat.ts";
import { compactHandlers } from "./handlers/compact.ts";
import { conversationHandlers } from "./handlers/conversations.ts";
import { messageHandlers } from "./handlers/messages.ts";
import { replayHandlers } from "./handlers/replay.ts";
import { statusHandlers } from "./handlers/status.ts";
import { upstreamHandlers } from "./handlers/upstreams.ts";
import { viewHandlers } from "./handlers/view.ts";

const JSON_TYPE = { "content-type": "application/json" };

type Env = { Bindings: HttpBindings };

/** precis's own API, and the work that it has under way. */
export interface ApiServer {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Resolves when no answer and no compaction is under way. */
  settled(): Promise<void>;
  stop(): void;
}

export function createApi(gateway: PageParts): ApiServer {
  // The first page shouldn't wait for the tokenizer. If it can't be loaded, whoever needs it says so.
  exactCounter("o200k_base").catch(() => {});
  const { busy } = gateway;
  const handlers: Handlers = {
    ...statusHandlers,
    ...conversationHandlers,
    ...messageHandlers,
    ...chatHandlers,
    ...viewHandlers,
    ...compactHandlers,
    ...replayHandlers,
    ...upstreamHandlers,
  };
  const app = new Hono<Env>();
  for (const [name, route] of Object.entries(routes) as [keyof Handlers, Route][]) {
    app.on(route.method, route.path, async (c) => {
      const { incoming } = c.env;
      const client = await gateway.authenticate(incoming.headers);
      gateway.limitRate(client);
      if (route.kind === "stream") gateway.limitStreams(client, c.env.outgoing);
      const answer: unknown = await handlers[name](contextOf(gateway, busy, client, c));
      return answer instanceof Response ? answer : c.body(stringifyDeep(answer), 200, JSON_TYPE);
    });
  }
  app.notFound((c) =>
    c.json(
      { error: { code: "not-found", message: `There is nothing at ${c.req.method} ${c.req.path}.` } },
      404,
    ),
  );
  app.onError((error, c) => {
    const { status, ...body } = apiError(gateway.log, error);
    const retryAfter = error instanceof RequestFault ? error.retryAfter : undefined;
    return c.json(body, status as 500, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
  });
  const listener = getRequestListener(app.fetch as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
  });
  return {
    listener: async (request, response) => {
      for (const [name, value] of Object.entries(INERT)) response.setHeader(name, value);
      await listener(request, response);
    },
    settled: () => busy.settled(),
    stop: () => busy.stopAll(),
  };
}

function contextOf(
  gateway: PageParts,
  busy: ApiContext["busy"],
  client: ApiContext["client"],
  c: Context<Env>,
): ApiContext {
  return {
    gateway,
    busy,
    client,
    tenant: client.tenant,
    headers: c.env.incoming.headers,
    signal: c.req.raw.signal,
    param(name) {
      const value = c.req.param(name) ?? "";
      // No database can be asked for it.
      if (value.includes("\0")) throw new RequestFault(404, "not-found", "Nothing here has such an id.");
      return value;
    },
    query(name) {
      const value = c.req.query(name);
      if (value?.includes("\0"))
        throw invalid(name, "has a NUL character, which nothing here has", "Leave it out");
      return value;
    },
    async body(schema) {
      if (!/^application\/json\b/i.test(c.req.header("content-type") ?? ""))
        throw new RequestFault(415, "invalid", "Send the body as application/json.");
      const value = await valueIn(c.env.incoming, gateway.config.limits);
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      const { key, problem, fix } = explainIssue(parsed.error.issues, value);
      throw invalid(key, problem, fix);
    },
  };
}

/** The JSON of a request's body, whatever it is: what it should be, its schema says. */
async function valueIn(request: IncomingMessage, limit: BodyLimit): Promise<unknown> {
  const bytes = await decodeBody(await readBody(request, limit), request.headers["content-encoding"], limit);
  if (bytes.length > LARGE_BYTES) return parseBody(bytes);
  checkValues(bytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new RequestFault(400, "bad-json", "The body isn't valid JSON.");
  }
}

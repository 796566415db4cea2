import type { IncomingMessage, ServerResponse } from "node:http";
import { RequestFault } from "../http/request-fault.ts";
import { countRequest } from "../telemetry/metrics.ts";
import { compacting, counting, wires } from "../wires/index.ts";
import { count } from "./count.ts";
import { fail } from "./fail.ts";
import { generate } from "./generate.ts";
import { handleCompact } from "./handle-compact.ts";
import { listModels } from "./list-models.ts";
import { passThrough } from "./pass-through.ts";
import { readExchange } from "./read-exchange.ts";
import type { V1Parts } from "./v1-parts.ts";

/** Everything under `/v1`. */
export async function handleV1(
  parts: V1Parts,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): Promise<void> {
  const { metrics } = parts;
  const wire = wires.get(pathname);
  const counts = counting.get(pathname);
  const compacts = compacting.get(pathname);
  const path = request.url ?? pathname;
  const started = performance.now();
  let action = "untouched";
  let tokens: { readonly before: number; readonly after: number } | undefined;
  let status: number;
  let served: { model: string; conversation: string | undefined; tenant: string } | undefined;
  metrics.active.add(1);
  try {
    const found = parts.authenticate(request.headers);
    const client = found instanceof Promise ? await found : found;
    parts.limitRate(client);
    const base = { request, response, client, path };
    if (wire && request.method === "POST") {
      const exchange = await readExchange(parts, { ...base, wire });
      try {
        const done = await generate(parts, exchange);
        action = done.action;
        tokens = done.report && { before: done.report.tokens.transcript, after: done.report.tokens.after };
      } finally {
        exchange.recording?.end();
      }
      status = response.statusCode;
      served = {
        model: exchange.asked.model,
        conversation: exchange.recording?.known.id,
        tenant: client.tenant,
      };
    } else if (compacts?.compacting && request.method === "POST") {
      status = await handleCompact(parts, compacts, compacts.compacting, base);
    } else if (counts?.counting && request.method === "POST") {
      status = await count(parts, counts, counts.counting, base);
    } else if (/^\/v1\/models\/[^/]+:\w+$/.test(pathname)) {
      throw geminiFault();
    } else if (pathname === "/v1/models" && request.method === "GET") {
      status = await listModels(parts, base);
    } else {
      status = await passThrough(parts, base);
    }
  } catch (error) {
    if (response.destroyed && !response.headersSent) status = 499;
    else status = fail(parts, response, error, wire ?? counts);
  } finally {
    metrics.active.add(-1);
  }
  const ms = performance.now() - started;
  countRequest(parts, { api: wire?.api ?? "other", status, action, ms });
  if (parts.log.isLevelEnabled("debug"))
    parts.log.debug({ path: pathname, status, action, ms: Math.round(ms), ...served }, "request");
  if (parts.live.hasListeners && served)
    parts.live.send(served.tenant, {
      type: "request",
      conversation: served.conversation,
      model: served.model,
      path: pathname,
      status,
      outcome: action as "pass",
      tokens,
      ms,
    });
}

/** Gemini's native wire format isn't spoken. */
export function geminiFault(): RequestFault {
  return new RequestFault(
    404,
    "unsupported-api",
    "precis: Gemini's native API isn't supported. Use its OpenAI-compatible one: POST /v1/chat/completions here, with an upstream at https://generativelanguage.googleapis.com/v1beta/openai. Supported are /v1/chat/completions, /v1/responses and /v1/messages.",
  );
}

import { stringifyDeep } from "../../core/deep-json.ts";
import type { Report } from "../../core/types.ts";
import { encode } from "../../dialects/index.ts";
import { overflowOf } from "../../models/index.ts";
import { redact } from "../../models/shared/redact.ts";
import type { ChatEvent } from "../api.ts";
import { chooseUpstream } from "../upstream/choose-upstream.ts";
import { readAll } from "../upstream/read-all.ts";
import { send as sendUpstream } from "../upstream/send.ts";
import { targetPath } from "../upstream/target-path.ts";
import { upstreamHeaders } from "../upstream/upstream-headers.ts";
import { compactedFact } from "../turn/note-compaction.ts";
import { wireOfDialect } from "../wires/index.ts";
import { isJson, parseJson, textOf } from "../http/json.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Json, WireAnswer } from "../wires/wire.ts";
import type { ApiContext } from "./context.ts";
import { countAhead } from "../conversation/count-ahead.ts";
import { createDeltaReader } from "./delta-reader.ts";
import { fitWatched } from "./fit-watched.ts";
import { announced } from "./handlers/conversations.ts";
import { apiMessages } from "./handlers/messages.ts";
import { pressureOf } from "./handlers/view.ts";
import { type Loaded, load } from "../conversation/loaded.ts";
import { requestBody } from "./request-body.ts";
import { appendMessages } from "../conversation/store-messages.ts";

type Send = (event: ChatEvent) => void;

/** Asks the model of a chat, streams its answer and stores it. */
export async function answerChat(
  context: ApiContext,
  loaded: Loaded,
  stop: AbortSignal,
  send: Send,
): Promise<void> {
  const { gateway } = context;
  const upstream = chooseUpstream(gateway.upstreams, loaded.model, undefined);
  const speaks = upstream.dialects.includes(loaded.wire.dialect.id as never);
  const wire = speaks ? loaded.wire : wireOfDialect(upstream.dialects[0]);
  let rejected: { readonly tokens: number } | true | undefined;
  for (;;) {
    const { body, report } = await fitted(context, { ...loaded, wire }, rejected, send);
    const bytes = Buffer.from(stringifyDeep(body));
    const headers = upstreamHeaders(
      upstream,
      pageHeaders(context),
      wire.path,
      bytes.length,
      context.client.keyIsOurs,
    );
    const answer = await sendUpstream({
      upstream,
      method: "POST",
      path: targetPath(upstream, wire.path),
      headers,
      body: bytes,
      signal: stop,
    });
    if (answer.statusCode >= 400) {
      const text = (await readAll(answer)).toString("utf8");
      const overflow = overflowOf(answer.statusCode, text);
      if (!overflow || rejected) throw upstreamSaid(answer.statusCode, text, upstream.name);
      if (overflow.limit !== undefined)
        gateway.windows.learn(upstream, loaded.model, context.tenant, overflow.limit);
      rejected = overflow.tokens === undefined ? true : { tokens: overflow.tokens };
      continue;
    }
    const deltas = createDeltaReader(wire, send);
    let wasStopped = false;
    try {
      for await (const piece of answer.pieces()) deltas.push(piece);
    } catch (error) {
      if (!stop.aborted) throw error;
      wasStopped = true;
    }
    const answered = wire.readStream(deltas.text());
    learn(context, loaded, report, answered);
    await store(context, loaded, wire, answered, wasStopped || stop.aborted, send);
    return;
  }
}

/** The request with its view; tells what precis did. */
async function fitted(
  context: ApiContext,
  loaded: Loaded,
  rejected: { readonly tokens: number } | true | undefined,
  send: Send,
): Promise<{ readonly body: Json; readonly report: Report }> {
  const { gateway, tenant } = context;
  await countAhead(gateway, loaded);
  const started = performance.now();
  const { messages, system, report } = await fitWatched(context, loaded, rejected);
  send({ type: "view", outcome: report.outcome, tokens: report.tokens, pressure: report.pressure.after });
  if (report.outcome === "compacted") {
    gateway.totals.add("compactions");
    gateway.totals.add("cost", report.cost);
    const fact = compactedFact(report, performance.now() - started);
    await gateway.timeline.add(tenant, loaded.conversation.id, gateway.now(), fact);
  }
  if (loaded.wire.dialect.id === loaded.dialect.id)
    return { body: requestBody(loaded, { messages, system }, report), report };
  const lead = system === undefined ? [] : [loaded.dialect.read({ role: "system", content: system })];
  const other = encode(loaded.wire.dialect.id, [
    ...lead,
    ...messages.map((message) => loaded.dialect.read(message)),
  ]);
  const view = { messages: other.messages, system: other.system };
  return { body: requestBody(loaded, view, report), report };
}

/** How long the answer was. */
function learn(
  { gateway }: ApiContext,
  loaded: Loaded,
  report: Report,
  { usage, isCutOff }: WireAnswer,
): void {
  if (!usage) return;
  void gateway.compactors.of(loaded.choice).observe({ usage, report, ...(isCutOff && { stop: "length" }) });
}

async function store(
  context: ApiContext,
  loaded: Loaded,
  wire: Loaded["wire"],
  { messages, usage }: WireAnswer,
  wasStopped: boolean,
  send: Send,
): Promise<void> {
  const { gateway, tenant } = context;
  const own =
    wire.dialect.id === loaded.dialect.id
      ? messages
      : encode(
          loaded.dialect.id,
          messages.map((message) => wire.dialect.read(message)),
        ).messages;
  if (own.length === 0) {
    if (wasStopped) send({ type: "stopped", message: undefined });
    else throw new RequestFault(502, "empty-answer", "The model sent no answer.");
    return;
  }
  const { conversation } = await appendMessages(gateway, tenant, loaded, own);
  const after = await load(gateway, tenant, conversation);
  announced(context, after.conversation, "changed");
  const shown = await apiMessages(gateway, tenant, after, after.stored.length - 1);
  const message = shown.messages[0]!;
  if (wasStopped) send({ type: "stopped", message });
  else send({ type: "done", message, usage, pressure: await pressureOf(context, conversation) });
}

/** Of the page's own headers only a key is passed on. */
function pageHeaders({ headers }: ApiContext): Record<string, string> {
  const sent: Record<string, string> = {
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
  };
  for (const name of ["authorization", "x-api-key"]) {
    const value = headers[name];
    if (typeof value === "string") sent[name] = value;
  }
  return sent;
}

function upstreamSaid(status: number, text: string, upstream: string): RequestFault {
  const body = parseJson(text);
  const error = isJson(body) && isJson(body["error"]) ? body["error"] : undefined;
  const words = redact(textOf(error?.["message"]) ?? text.slice(0, 300), []);
  return new RequestFault(status, "upstream", `${upstream} answered ${status}: ${words}`);
}

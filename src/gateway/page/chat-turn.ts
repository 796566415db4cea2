import type { IncomingHttpHeaders } from "node:http";
import { encode } from "../../apis/index.ts";
import type { Json } from "../../apis/shared/fields.ts";
import { stringifyDeep } from "../../core/json.ts";
import { answerCap, type Loaded } from "../conversation/loaded.ts";
import type { RequestStart, RunningRequest } from "../requests/running-request.ts";
import type { Translation, Turn, TurnRecording } from "../turn/turn.ts";
import { chooseUpstream } from "../upstream/upstream.ts";
import type { Wire } from "../wires/index.ts";
import { streamPath, wireOfDialect } from "../wires/index.ts";
import type { ApiContext } from "./context.ts";

/** The turn of a chat: all of its messages are in the store, and its model is asked next. */
export function chatTurn(
  { gateway, client, headers }: ApiContext,
  loaded: Loaded,
  signal: AbortSignal,
  begin: (start: Pick<RequestStart, "api" | "path">) => RunningRequest,
): Turn {
  const { model, wire, transcript, system } = loaded;
  const upstream = chooseUpstream(gateway.upstreams, model, undefined);
  const speaks = upstream.dialects.includes(wire.dialect.id as never);
  const spoken = speaks ? wire : wireOfDialect(upstream.dialects[0]);
  const cap = answerCap({ wire: spoken, settings: loaded.settings });
  const body = requestBody(loaded, { messages: transcript, system }, cap);
  const bytes = Buffer.from(stringifyDeep(body));
  const path = streamPath(spoken, model);
  return {
    client,
    headers: sentHeaders(headers),
    wire,
    translation: speaks ? undefined : translationOf(loaded, spoken),
    upstream,
    path,
    record: begin({ api: spoken.api, path: path.replace(/\?.*/, "") }),
    bytes,
    plain: bytes,
    body,
    asked: { model, transcript, system, tools: undefined, streamed: true, cap },
    compactors: gateway.compactors,
    choice: loaded.choice,
    pins: loaded.pins,
    signal,
    startedAt: gateway.now(),
    arrivedAt: performance.now(),
    recording: recordingOf(gateway, client.tenant, loaded),
    isObserved: false,
    isRewritten: true,
  };
}

/** Of the page's own headers only a key is passed on. */
function sentHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const sent: IncomingHttpHeaders = {
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
  };
  for (const name of ["authorization", "x-api-key", "x-goog-api-key"]) {
    const value = headers[name];
    if (typeof value === "string") sent[name] = value;
  }
  return sent;
}

function translationOf(loaded: Loaded, wire: Wire): Translation {
  const { dialect } = loaded;
  return {
    wire,
    write({ messages, system }) {
      const lead = system === undefined ? [] : [dialect.read({ role: "system", content: system })];
      const read = messages.map((message) => dialect.read(message));
      const view = encode(wire.dialect.id, [...lead, ...read]);
      return requestBody({ ...loaded, wire }, { messages: view.messages, system: view.system });
    },
  };
}

/** What this node remembers of the chat. Its messages are stored before and after the turn, not by it. */
function recordingOf(
  { memory }: Pick<ApiContext["gateway"], "memory">,
  tenant: string,
  { conversation, dialect, stored }: Loaded,
): TurnRecording {
  const { id } = conversation;
  const remembered = memory.ofConversation(tenant, id, dialect.id);
  const { newest } = remembered;
  const since =
    newest === undefined ? stored : stored.slice(stored.findLastIndex(({ hash }) => hash === newest) + 1);
  return {
    known: remembered,
    isFirst: false,
    followsOurs: since.every(({ role }) => role !== "assistant"),
    // The messages of a chat may have been imported: they tell nothing about requests.
    hadRequest: remembered.lastRequestAt > 0,
    isWatched: true,
    begin() {},
    stored: async () => id,
  };
}

/** The request that a chat of the page sends. */
export function requestBody(
  { wire, model, settings }: Pick<Loaded, "wire" | "model" | "settings">,
  view: { readonly messages: readonly unknown[]; readonly system: unknown },
  cap: number | undefined = answerCap({ wire, settings }),
): Json {
  const { temperature } = settings;
  const base: Json = wire.chat.request?.({ temperature }) ?? {
    model,
    stream: true,
    ...(temperature !== undefined && { temperature }),
    ...wire.chat.fields,
  };
  const body = wire.write(base, view);
  return cap === undefined ? body : wire.withCap(body, cap);
}

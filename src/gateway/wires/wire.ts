import type { ApiAnswer, ApiRequest } from "../../apis/shared/api.ts";
import { eventText, readEvents } from "../../apis/shared/events.ts";
import { type Json, objectsOf, parseJson } from "../../apis/shared/fields.ts";
import type { ServedApi } from "../../apis/shared/served-api.ts";
import { RequestFault } from "../http/request-fault.ts";
import { rewrittenMessages, wireDialect } from "./shared/wire-dialect.ts";

/** What the gateway needs to know of a request, whatever API it is for. */
export type WireRequest = ApiRequest;
export type WireAnswer = ApiAnswer;

/** One API of a provider as the gateway serves it. */
export interface Wire extends Omit<ServedApi, "read" | "write" | "brokenOff"> {
  /** Throws `RequestFault` on a body that can't be a request of this API. The path comes with its query. */
  read(body: Json, path: string): WireRequest;
  /** The request with another view; everything else stays as it is. */
  write(body: Json, view: { readonly messages: readonly unknown[]; readonly system: unknown }): Json;
  readStream(text: string): WireAnswer;
  /** What tells a client that its streamed answer broke off. */
  brokenOff(status: number, error: { readonly code: string; readonly message: string }): string;
}

export function wireOf(api: ServedApi): Wire {
  const dialect = wireDialect(api.dialect);
  const field = api.fields.messages;
  return {
    ...api,
    dialect,
    read(body, path) {
      const request = api.read(body, path);
      if (request === undefined) throw new RequestFault(400, "invalid", api.lack);
      return request;
    },
    write: (body, { messages, system }) =>
      api.write(body, { messages: rewrittenMessages(dialect, body[field], messages), system }),
    readStream(text) {
      const isList = api.streamsLists && text.trimStart().startsWith("[");
      return api.readAnswer(api.assemble(isList ? objectsOf(parseJson(text)) : readEvents(text)));
    },
    brokenOff: (status, error) => eventText(api.brokenOff?.(error) ?? api.error(status, error)),
  };
}

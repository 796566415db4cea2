import type { DialectId, ModelReply, ModelRequest } from "../../core/types.ts";
import type { SseEvent } from "./sse.ts";

/** A request's body. The order of its fields is the order on the wire. */
export type Body = Readonly<Record<string, unknown>>;

/** What the body is made with, beside the request itself. */
export interface WireSettings {
  readonly model: string;
  readonly window: number;
  /** Undefined where the model refuses it. */
  readonly temperature: number | undefined;
}

export interface WireRequest {
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One provider API: how a request is written and an answer is read. Pure. */
export interface WireApi {
  readonly dialect: DialectId;
  build(request: ModelRequest, settings: WireSettings): WireRequest;
  /** The conversation's own request with messages appended. Undefined if it isn't a request of this API. */
  extend(given: Body, request: ModelRequest, settings: WireSettings): WireRequest | undefined;
  /** Undefined if the answer isn't one of this API. */
  read(json: unknown): ModelReply | undefined;
  /** The events of a stream as the JSON that would have come without streaming. */
  assemble(events: readonly SseEvent[]): unknown;
}

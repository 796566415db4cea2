import { isJson, type Json, listOf } from "../../apis/shared/fields.ts";
import { type Outgoing, spokenWire, type Turn } from "./turn.ts";

/** What is kept of a request beside its messages and what became of it, so that it can be looked at as it was. */
export interface SentDetails {
  /** The API that the upstream was asked in, where it isn't the client's. */
  readonly api?: string;
  /** Fields that aren't as the client sent them. */
  readonly changed?: readonly string[];
  /** What decided about the view. */
  readonly settings: Json;
  /** Places of messages that were quoted before the last one. */
  readonly quoted?: readonly number[];
  /** Places of messages with a marker for the provider's cache. */
  readonly markers?: readonly number[];
}

/** The request without its messages and its system prompt, which are kept elsewhere. */
export function fieldsOf(turn: Turn, { json = turn.body }: Outgoing): Json {
  return spokenWire(turn).write(json, {
    messages: [],
    system: turn.asked.system === undefined ? undefined : "",
  });
}

export function detailsOf(turn: Turn, { json, report }: Outgoing): SentDetails {
  const { body, translation, choice, pins } = turn;
  const markers = listOf(json?.["messages"]).flatMap((message, n) => (isMarked(message) ? [n] : []));
  const quoted = [...new Set(report?.recalled.map(({ index }) => index))];
  const changed = json
    ? [...new Set([...Object.keys(body), ...Object.keys(json)])].filter(
        (name) => !Array.isArray(json[name]) && body[name] !== json[name],
      )
    : [];
  const { profile, strategy, budget, window, summarizer, tuning } = choice;
  return {
    ...(translation && { api: translation.wire.api }),
    ...(changed.length > 0 && { changed }),
    settings: {
      ...(profile && { profile: profile.name }),
      ...(strategy && { strategy }),
      ...(report && { budget: report.budget.budget, window: report.budget.window }),
      ...(!report && budget !== undefined && { budget }),
      ...(!report && window !== undefined && { window }),
      ...(summarizer !== undefined && { summarizer }),
      ...(tuning && { tuning }),
      ...(pins.length > 0 && { pins }),
    },
    ...(quoted.length > 0 && { quoted }),
    ...(markers.length > 0 && { markers }),
  };
}

const isMarked = (message: unknown): boolean =>
  isJson(message) &&
  listOf(message["content"]).some((part) => isJson(part) && part["cache_control"] !== undefined);

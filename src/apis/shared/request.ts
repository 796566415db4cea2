import type { ApiRequest, ApiView, RequestFields } from "./api.ts";
import { type Json, numberOf, textOf } from "./fields.ts";

/** Requests whose fields stand in the body itself, by the names that an API gives them. */

export function readRequest(fields: RequestFields, body: Json): ApiRequest | undefined {
  const messages = body[fields.messages];
  if (!Array.isArray(messages)) return undefined;
  return {
    model: textOf(body["model"]) ?? "",
    transcript: messages,
    system: fields.system === undefined ? undefined : (body[fields.system] ?? undefined),
    tools: firstOf(body, fields.tools),
    streamed: body["stream"] === true,
    cap: numberOf(firstOf(body, fields.caps)),
  };
}

export function writeRequest(fields: RequestFields, body: Json, { messages, system }: ApiView): Json {
  return {
    ...body,
    [fields.messages]: messages,
    ...(fields.system !== undefined && system != null && { [fields.system]: system }),
  };
}

/** The request with a cap on its answer, under the name that it has or would have. */
export function withCap(fields: RequestFields, body: Json, cap: number): Json {
  return { ...body, [capName(fields, body)]: Math.max(fields.leastCap ?? 0, cap) };
}

function capName({ caps }: RequestFields, body: Json): string {
  return caps.find((name) => body[name] != null) ?? caps.at(-1)!;
}

function firstOf(body: Json, names: readonly string[]): unknown {
  return names.map((name) => body[name]).find((value) => value != null);
}

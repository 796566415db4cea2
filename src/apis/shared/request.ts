import type { ApiRequest, ApiView, RequestFields } from "./api.ts";
import { type Json, numberOf, textOf } from "./fields.ts";

/** Requests whose fields stand in the body itself, by the names that an API gives them. */
export function requestsBy(fields: RequestFields) {
  return {
    fields,
    lack: `\`${fields.messages}\` is missing or isn't a list.`,

    read(body: Json): ApiRequest | undefined {
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
    },

    write: (body: Json, { messages, system }: ApiView): Json => ({
      ...body,
      [fields.messages]: messages,
      ...(fields.system !== undefined && system != null && { [fields.system]: system }),
    }),

    /** The request with a cap on its answer, under the name that it has or would have. */
    withCap: (body: Json, cap: number): Json => ({
      ...body,
      [capName(fields, body)]: Math.max(fields.leastCap ?? 0, cap),
    }),
  };
}

function capName({ caps }: RequestFields, body: Json): string {
  return caps.find((name) => body[name] != null) ?? caps.at(-1)!;
}

function firstOf(body: Json, names: readonly string[]): unknown {
  return names.map((name) => body[name]).find((value) => value != null);
}

/** How a provider is asked to count a request instead of answering it. */
export interface Counting {
  /** Where, by the path that answers the request. */
  path(asked: string): string;
  body(body: Json, asked: string): Json;
  /** What it counted. */
  read(answer: Json): number | undefined;
}

/** An endpoint behind the path that answers, which takes some of the same fields. */
export function countingBehind(end: string, fields: readonly string[]): Counting {
  return {
    path(asked) {
      const [bare = asked, ...query] = asked.split("?");
      return [bare.replace(/\/$/, "") + end, ...query].join("?");
    },
    body: (body) => Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name))),
    read: ({ input_tokens }) => numberOf(input_tokens),
  };
}

import { type Json, numberOf } from "./fields.ts";

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

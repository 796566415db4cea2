import type { Dialect } from "../../core/types.ts";
import { encode } from "../../dialects/index.ts";

/** What a person said, with pictures as data URLs, in a wire format. */
export function userMessage(dialect: Dialect<unknown>, text: string, images: readonly string[]): unknown {
  if (images.length === 0) return dialect.write({ role: "user", text });
  const { messages } = encode(dialect.id, [
    {
      role: "user",
      parts: [
        ...images.map((source) => ({ type: "image" as const, source })),
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ],
    },
  ]);
  return messages[0];
}

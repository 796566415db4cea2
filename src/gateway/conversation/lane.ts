import { contentHash } from "../../core/hash.ts";
import { isJson, listOf, textOf, textsOf } from "../http/json.ts";
import type { WireRequest } from "../wires/wire.ts";

/** Characters of a system prompt that tell one job of a client from another. Further down stand dates and file lists. */
const TELLING_CHARS = 200;

/**
 * What kind of request this is: a client's main conversation, its title call and its sub-agents share first messages but
 * neither system prompt nor tools.
 */
export function laneOf(dialect: string, { system, tools, transcript }: WireRequest): string {
  const names = listOf(tools)
    .map((tool) => {
      if (!isJson(tool)) return "";
      const inner = tool["function"];
      return (
        textOf(tool["name"]) ??
        (isJson(inner) ? textOf(inner["name"]) : undefined) ??
        textOf(tool["type"]) ??
        ""
      );
    })
    .sort()
    .join(" ");
  return contentHash(
    `${dialect}\n${textsOf(system ?? leading(transcript))
      .join("\n")
      .slice(0, TELLING_CHARS)}\n${names}`,
  ).slice(0, 12);
}

function leading(transcript: readonly unknown[]): unknown {
  const first = transcript[0];
  return isJson(first) && (first["role"] === "system" || first["role"] === "developer")
    ? first["content"]
    : "";
}

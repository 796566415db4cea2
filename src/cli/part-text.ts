import type { Part } from "../core/types.ts";

/** What a part says, in plain words. Reasoning isn't told. */
export function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `→ ${part.name}(${part.args})`;
    case "tool-result":
      return `← ${part.text}`;
    case "reasoning":
      return "";
    default:
      return `[${part.type}]`;
  }
}

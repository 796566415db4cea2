import type { OutgoingHttpHeaders } from "node:http";

/** Beta flags of what precis carries out itself. Servers that imitate Anthropic refuse flags that they don't know. */
const OURS = /^(?:context-management|compact)-/;

export function dropBetas(headers: OutgoingHttpHeaders): void {
  const { "anthropic-beta": given } = headers;
  if (typeof given !== "string") return;
  const kept = given
    .split(",")
    .map((flag) => flag.trim())
    .filter((flag) => !OURS.test(flag));
  if (kept.length > 0) headers["anthropic-beta"] = kept.join(",");
  else delete headers["anthropic-beta"];
}

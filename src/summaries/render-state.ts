import type { HostState } from "../core/types.ts";

/** The host's own record of where things stand may take this share of the message. */
const STATE_SHARE = 0.25;

/** The host's steps or text, within its share; what doesn't fit is said to be left out. */
export function renderState(
  state: HostState | undefined,
  cap: number,
  count: (text: string) => number,
): string {
  if (state === undefined) return "";
  const lines =
    typeof state === "string"
      ? state.trim().split("\n")
      : [
          ...(state.title === undefined ? [] : [state.title]),
          ...state.steps.map(({ status, text }) => `[${status}] ${text.trim()}`),
        ];
  const limit = cap * STATE_SHARE;
  if (count(lines.join("\n")) <= limit) return lines.join("\n");
  const kept: string[] = [];
  let used = 0;
  for (const line of lines) {
    used += count(line) + 1;
    if (used > limit) break;
    kept.push(line);
  }
  return kept.length === 0 ? "" : `${kept.join("\n")}\n(${lines.length - kept.length} more)`;
}

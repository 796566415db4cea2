import { clipText } from "../../core/clip.ts";
import type { HostState } from "../../core/types.ts";
import { LINE_BREAK } from "../text/look-alikes.ts";
import type { SectionEntry } from "../write/sections.ts";

/** The host's own record of where things stand may take this share of the message. */
const STATE_SHARE = 0.25;

/** The host's steps or text, within its share; what doesn't fit is said to be left out. */
export function renderState(
  state: HostState | undefined,
  cap: number,
  count: (text: string) => number,
): SectionEntry[] {
  if (!state) return [];
  const texts =
    typeof state === "string"
      ? [state.trim()]
      : [
          ...(state.title === undefined ? [] : [state.title]),
          ...state.steps.map(({ status, text }) => `[${status}] ${text.trim()}`),
        ];
  const lines = texts.flatMap((text) => text.split(LINE_BREAK));
  if (lines.every((line) => line.trim() === "")) return [];
  return linesThatFit(lines, cap, count).map((text) => ({ head: "", text }));
}

function linesThatFit(
  lines: readonly string[],
  cap: number,
  count: (text: string) => number,
): readonly string[] {
  const limit = cap * STATE_SHARE;
  if (count(lines.join("\n")) <= limit) return lines;
  const kept: string[] = [];
  let used = 0;
  for (const line of lines) {
    const before = used;
    used += count(line) + 1;
    if (used > limit) {
      // One that is too long for any place, such as a state in JSON, isn't left out for that.
      const clipped =
        count(line) + 1 > limit ? clipText(line, Math.floor(limit - before) - 1, count) : undefined;
      if (clipped !== undefined) kept.push(clipped);
      break;
    }
    kept.push(line);
  }
  if (kept.length === 0 || kept.length === lines.length) return kept;
  return [...kept, `(${lines.length - kept.length} more)`];
}

import type { Run } from "../core/types.ts";

/** Messages as summaries name them: `#12–18`, or `#12` for a single one. */
export function pointerTo({ from, to }: Run): string {
  return to - from <= 1 ? `#${from + 1}` : `#${from + 1}–${to}`;
}

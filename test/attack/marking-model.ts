import type { Model } from "../../src/core/types.ts";
import { markersIn } from "./writer.ts";

/** Markers that a summary repeats. */
const REPEATED = 30;

/** A summariser that repeats the markers of what it was given, so that a summary of something stale shows. */
export function markingModel(): Model {
  return {
    id: "marking",
    window: 100_000,
    async complete(request) {
      const markers = [...markersIn(request.messages)].slice(0, REPEATED);
      return {
        text: `The user and the assistant worked on ${markers.join(", ")}. All of it was done in the order in which it was asked for, and nothing failed on the way.`,
        stop: "end",
        usage: { input: 10, output: 10 },
      };
    },
  };
}

import { isJson, listOf, textOf, textsOf } from "../../apis/shared/fields.ts";
import { contentHash } from "../../core/hash.ts";
import type { Dialect } from "../../core/types.ts";
import { createPace } from "../compaction/pace.ts";
import type { WireRequest } from "../wires/wire.ts";
import { isFirst, type Located, locate } from "./locate.ts";
import type { Place } from "./memory.ts";
import { Recording, type RecordingContext } from "./recording.ts";
import type { Session } from "./session-of.ts";
import { isLongTranscript, transcriptRecord } from "./transcript-record.ts";

export interface Recorder {
  open(request: {
    readonly tenant: string;
    readonly dialect: Dialect<unknown>;
    readonly asked: WireRequest;
    readonly session: Session | undefined;
    readonly at: number;
    /** The messages will come again as the same objects. */
    readonly comesAgain?: boolean;
    /** Where the client goes on from, if it said so: other conversations with the same messages aren't meant. */
    readonly from?: Place | undefined;
  }): Recording | Promise<Recording>;
}

/** Writes transcripts into the store while the upstream is at work. */
export function createRecorder(options: Omit<RecordingContext, "headMark">): Recorder {
  const context: RecordingContext = { ...options, headMark: createHeadMark() };

  return {
    open({ tenant, dialect, asked, session, at, comesAgain, from }) {
      // Texts come as new strings: to look one up takes longer than to hash it.
      const record = transcriptRecord(
        dialect,
        asked,
        contentHash,
        comesAgain ? context.memory.chains : undefined,
      );
      const lane = laneOf(dialect.id, asked);
      const sought = { tenant, record, lane, dialect: dialect.id, reading: dialect, session, from };
      const recorded = (place: Located | undefined) =>
        new Recording(context, { dialect, asked, at, sought, place });
      const found = () => (isFirst(sought) ? recorded(undefined) : locate(context, sought).then(recorded));
      return isLongTranscript(record.messages) ? createPace().run(record.hashSteps()).then(found) : found();
    },
  };
}

/** Shorter system prompts stand for themselves (characters). */
const SHORT = 256;

/**
 * What is remembered of a conversation's system prompt, to see whether it changed. A hash, because thousands of
 * conversations may each have one of hundreds of kilobytes.
 */
export function createHeadMark(): (head: string) => string {
  let newest: { readonly head: string; readonly mark: string } | undefined;
  return (head) => {
    if (head.length <= SHORT) return head;
    // Mostly it is the same once more, and to compare two takes less than to hash one.
    if (newest?.head !== head) newest = { head, mark: contentHash(head) };
    return newest.mark;
  };
}

/** Characters of a system prompt that tell one job of a client from another. Further down stand dates and file lists. */
const TELLING_CHARS = 200;

/** Which kind of request this is: main conversation, title call and sub-agents differ in system prompt or tools. */
function laneOf(dialect: string, { system, tools, transcript }: WireRequest): string {
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

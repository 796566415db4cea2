import { createTextHash, hash128 } from "../../core/hash.ts";
import type { Dialect } from "../../core/types.ts";
import type { WireRequest } from "../wires/wire.ts";
import { createKnownChains } from "./known-chains.ts";
import { laneOf } from "./lane.ts";
import { isFirst, type Located, locate, type Place } from "./locate.ts";
import { Recording, type RecordingContext } from "./recording.ts";
import type { Session } from "./session-of.ts";
import { createSharedTexts } from "./shared-texts.ts";
import { transcriptRecord } from "./transcript-record.ts";

/** Texts whose hashes are remembered, in all (characters). */
const REMEMBERED_CHARS = 8_000_000;
/** A request with no more messages than these is the first of its conversation. */
const FIRST_MESSAGES = 2;

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
export function createRecorder(options: Omit<RecordingContext, "sharedText">): Recorder {
  const context: RecordingContext = { ...options, sharedText: createSharedTexts() };
  const textHash = createTextHash(REMEMBERED_CHARS);
  const chains = createKnownChains();

  return {
    open({ tenant, dialect, asked, session, at, comesAgain, from }) {
      // The words of a first request are new; remembering them would be work for nothing.
      const isShort = asked.transcript.length <= FIRST_MESSAGES;
      const record = transcriptRecord(
        dialect,
        asked,
        isShort ? hash128 : textHash,
        comesAgain ? chains : undefined,
      );
      const lane = laneOf(dialect.id, asked);
      const sought = { tenant, record, lane, dialect: dialect.id, session, from };
      const recorded = (place: Located | undefined) =>
        new Recording(context, { dialect, asked, at, sought, place });
      return isFirst(sought) ? recorded(undefined) : locate(context, sought).then(recorded);
    },
  };
}

import type {
  ApiConversation,
  ApiPressure,
  ChatEvent,
  ChatInput,
  Divider,
  Lookup,
  Reason,
  TimelineEvent,
} from "../../../src/gateway/api.ts";
import type { Api } from "./api-client.ts";
import type { CutAnswer } from "./kept.ts";
import type { Store } from "./store.ts";
import type { Transcript } from "./transcript.ts";

/** An answer while it is written. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly lookups: readonly Lookup[];
  /** Asked for by this page, or seen from elsewhere (another tab, a page before a reload). */
  readonly mine: boolean;
}

export const EMPTY_ANSWER: Answer = { text: "", reasoning: "", lookups: [], mine: true };

interface Notice {
  readonly kind: "info" | "error";
  readonly message: string;
  readonly fix?: string;
  /** Goes away by itself when the server can be reached again. */
  readonly passes?: boolean;
  /** What was done can be taken back. */
  readonly undo?: "cleared";
}

export interface ChatState {
  readonly conversation: ApiConversation | undefined;
  readonly pressure: ApiPressure | undefined;
  readonly timeline: readonly TimelineEvent[];
  readonly answer: Answer | undefined;
  /** The last answer was stopped before a word of it came. */
  readonly isStopped: boolean;
  /** What came of an answer whose end this page never saw. */
  readonly cut: CutAnswer | undefined;
  /** Without a reason where this page came too late to be told. */
  readonly compacting: { readonly reason: Reason | undefined; readonly since: number } | undefined;
  readonly notice: Notice | undefined;
  /** The compaction that happened while this page was looking. */
  readonly fresh: Divider | undefined;
  /** Failures up to this event of the timeline were seen. */
  readonly dismissed: string;
  readonly missing: boolean;
  /** An example that was just opened: its newest compaction is what to look at. */
  readonly atPoint: boolean;
  /** A file that was just opened here. */
  readonly wasOpened: boolean;
  /** Unsent words that the person wants to have back in the box. */
  readonly returned: ChatInput | undefined;
  /** Grows whenever the view may have changed; whoever shows a view reads it again. */
  readonly version: number;
}

export const NO_CHAT: ChatState = {
  conversation: undefined,
  pressure: undefined,
  timeline: [],
  answer: undefined,
  isStopped: false,
  cut: undefined,
  compacting: undefined,
  notice: undefined,
  fresh: undefined,
  dismissed: "",
  missing: false,
  atPoint: false,
  wasOpened: false,
  returned: undefined,
  version: 0,
};

/** What the parts of a chat work with; each takes those that it needs. */
export interface ChatParts {
  readonly id: string;
  readonly store: Store<ChatState>;
  readonly transcript: Transcript;
  readonly api: Api;
  readonly setConversation: (conversation: ApiConversation) => void;
  /** Asks for the conversation, and shows it if nothing newer came meanwhile. */
  readonly readConversation: () => Promise<ApiConversation>;
  readonly fail: (error: unknown) => void;
  /** Reads anew what may have changed. */
  readonly refresh: () => Promise<void>;
}

export type ChatStream = AsyncGenerator<{ readonly event: ChatEvent }>;

/** The compaction that was applied last. */
export const newestOf = ({ dividers }: { readonly dividers: readonly Divider[] }): Divider | undefined =>
  dividers.reduce<Divider | undefined>(
    (newest, one) => (newest && newest.at > one.at ? newest : one),
    undefined,
  );

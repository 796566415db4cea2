import { StoreError } from "../../core/errors.ts";
import type { Dialect } from "../../core/types.ts";
import type { Appended, ConversationStore, NewMessage } from "../../stores/server-store.ts";
import type { WireRequest } from "../wires/wire.ts";
import type { Known, KnownConversations } from "./known-conversations.ts";
import { type Located, locateFirst, type Sought } from "./locate.ts";
import { invented } from "./new-known.ts";
import { ending, newMessage } from "./new-message.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { titleOf } from "./title-of.ts";
import { endWithoutReasoning, type TranscriptRecord, withAnswer } from "./transcript-record.ts";

/** An upstream that answers within this time gets request and answer stored in one write (milliseconds). */
const WRITE_ALONE_AFTER_MS = 25;

/** What a client may name to go on from an answer without sending it. */
export interface AnswerNames {
  /** The id of the answer. */
  readonly id: string | undefined;
  /** The provider's conversation that it belongs to. */
  readonly conversation: string | undefined;
}

/** What is known of an answer beside its messages. */
interface Answered {
  readonly id?: string | undefined;
  /** The hash of its end without its reasoning, if that makes a difference. */
  readonly withoutReasoning?: string | undefined;
}

/** The recording of one request. */
export interface Recording {
  /**
   * The request is the first of its conversation, as far as can be told without a look at it: what follows is found out
   * while the upstream is at work, or when it is first asked for.
   */
  readonly isFirst: boolean;
  readonly known: Known;
  readonly record: TranscriptRecord;
  /** Messages of the transcript that were stored before. */
  readonly matched: number;
  /** Messages of the conversation in the store. A client may leave out some of them. */
  readonly length: number;
  /** The conversation that the request's messages are in, once they are; undefined if they can't be stored. */
  readonly stored: Promise<string | undefined>;
  /** Stores the request's messages, unless the answer comes within moments. */
  begin(): void;
  /** Stores what isn't stored yet, with the answer. When it resolves, all of it is in the store for good. */
  finish(answer: readonly unknown[], names?: AnswerNames): Promise<void>;
  /** There will be no answer: stores the request's messages alone. */
  abandon(): Promise<void>;
  /** The request is done with, one way or the other. */
  end(): void;
}

/** What all recordings share. */
export interface RecordingContext {
  readonly store: ConversationStore;
  readonly known: KnownConversations;
  readonly redact: boolean;
  /** Equal texts as one. */
  sharedText(text: string): string;
  /** A conversation was made or grew. */
  onAppended?(tenant: string, appended: Appended, known: Known): void;
}

/** Records one request. Without a `place`, where it belongs is found out later. */
export function createRecording(
  context: RecordingContext,
  {
    dialect,
    asked,
    at,
    sought,
    place,
  }: {
    readonly dialect: Dialect<unknown>;
    readonly asked: Pick<WireRequest, "model">;
    readonly at: number;
    readonly sought: Sought;
    readonly place: Located | undefined;
  },
): Recording {
  const { store, known: conversations, sharedText } = context;
  const { tenant, record, lane, session } = sought;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  const stored = Promise.withResolvers<string | undefined>();
  let length: number | undefined;
  let isEnded = false;
  let counted: Known | undefined;
  const found = (one: Located): Located => {
    if (one.matched === record.chain.length - 1) stored.resolve(one.known.id);
    if (!isEnded) one.known.underWay++;
    counted = one.known;
    return one;
  };
  let located = place && found(place);
  let before = located?.matched;
  const here = (): Located => {
    located ??= found(locateFirst(context, sought));
    before ??= located.matched;
    return located;
  };
  const prepared: NewMessage[] = [];
  const messageAt = (upTo: TranscriptRecord, index: number): NewMessage => {
    prepared[index] ??= newMessage(upTo, index, at, context.redact);
    return prepared[index];
  };

  /** Stores everything behind what is stored already. */
  const write = async (upTo: TranscriptRecord, answer: Answered = {}): Promise<void> => {
    try {
      await append(upTo, answer);
    } catch (error) {
      const { id } = here().known;
      if (id === undefined || !(error instanceof StoreError)) throw error;
      // The conversation was deleted meanwhile: what the client still has of it is a new one.
      conversations.forget(id);
      located = { known: invented(tenant, lane, dialect.id), matched: 0 };
      await append(upTo, answer);
    } finally {
      stored.resolve(here().known.id);
    }
  };
  const append = async (
    upTo: TranscriptRecord,
    { id: answerId, withoutReasoning }: Answered,
  ): Promise<void> => {
    const { chain } = upTo;
    const { matched } = here();
    let { known } = here();
    // An answer without words ends with the last message, which may be stored already: it is said once more, with the id.
    const isSaidAgain = answerId !== undefined && matched > 0 && matched === chain.length - 1;
    const from = isSaidAgain ? matched - 1 : matched;
    const fresh: NewMessage[] = [];
    for (let index = from; index < chain.length - 1; index++) fresh.push(messageAt(upTo, index));
    const head = upTo.head();
    const isNewHead = head !== undefined && head !== known.head;
    if (fresh.length === 0 && !isNewHead) return;
    const appended = await store.append(tenant, {
      ...(known.id !== undefined && { conversation: known.id }),
      session: known.session,
      ...(known.isNamed && { named: true as const }),
      ...(known.id === undefined && known.isInvented && { isNew: true as const }),
      ...(from > 0 && known.id !== undefined && { after: storedAs(known, chain[from]!) }),
      messages: answerId === undefined ? fresh : ending(fresh, answerId),
      ...(isNewHead && { head: context.redact ? redactSecrets(head) : head }),
      dialect: dialect.id,
      ...(asked.model !== "" && { model: asked.model }),
      ...(known.id === undefined && { title: titleOf(upTo.messages) }),
      at,
    });
    // The other branch of a fork is remembered by itself.
    if (known.id !== undefined && known.id !== appended.conversation)
      known = { ...known, hashes: [], underWay: 0 };
    known.id = appended.conversation;
    if (isNewHead) known.head = sharedText(head);
    else if (head === undefined) known.head = undefined;
    located = { known, matched: chain.length - 1 };
    length = appended.length;
    const end = chain.at(-1)!;
    known.withoutReasoning =
      withoutReasoning === undefined ? undefined : { comesAs: withoutReasoning, is: end };
    // A client that asks once more sends the request without its answer.
    if (upTo !== record) conversations.remember(record.chain.at(-1)!, known);
    if (withoutReasoning !== undefined) conversations.remember(withoutReasoning, known);
    conversations.remember(end, known);
    context.onAppended?.(tenant, appended, known);
  };

  const prepare = (): void => {
    try {
      const { matched } = here();
      for (let index = matched; index < record.chain.length - 1; index++) messageAt(record, index);
      record.head();
    } catch {
      // Whoever stores it meets the same error, and can tell it.
    }
  };

  return {
    isFirst: place === undefined,
    get known() {
      return here().known;
    },
    record,
    get matched() {
      here();
      return before ?? 0;
    },
    get length() {
      return length ?? here().matched;
    },
    stored: stored.promise,
    begin() {
      // By then the request is on its way.
      if (!located) setImmediate(prepare);
      timer = setTimeout(() => {
        writing = write(record);
        // Whoever waits for the commit gets the error; until then it is nobody's.
        writing.catch(() => {});
      }, WRITE_ALONE_AFTER_MS);
    },
    async finish(answer, names) {
      clearTimeout(timer);
      await writing;
      // A client that goes on by naming the provider's conversation finds ours by it, unless it has a name already.
      const { known } = here();
      if (names?.conversation !== undefined && session === undefined && !known.isNamed)
        known.session = names.conversation;
      const withoutReasoning = endWithoutReasoning(record, dialect, answer);
      await write(answer.length === 0 ? record : withAnswer(record, dialect, answer), {
        id: names?.id,
        withoutReasoning,
      });
    },
    async abandon() {
      clearTimeout(timer);
      await writing;
      await write(record);
    },
    end() {
      if (counted && !isEnded) counted.underWay--;
      isEnded = true;
    },
  };
}

/** The hash under which the store has a message that a client may have sent otherwise. */
function storedAs({ withoutReasoning }: Known, hash: string): string {
  return withoutReasoning?.comesAs === hash ? withoutReasoning.is : hash;
}

import { runNow } from "../../core/steps.ts";
import type { Append, Appended, ConversationStore, NewRequest } from "../../stores/server-store.ts";
import { isRefusal } from "../../stores/shared/not-found.ts";
import { createPace } from "../compaction/pace.ts";
import { type AppendContext, type AppendedRequest, AppendMaker } from "./append-maker.ts";
import type { Citations } from "./keep-citations.ts";
import { invented, type Known } from "./known.ts";
import { type Located, locateFirst, locateNear, saysAnswer, storedAs } from "./locate.ts";
import { isReservedSession } from "./session-of.ts";
import {
  endWithoutReasoning,
  isLongTranscript,
  type TranscriptRecord,
  withAnswer,
} from "./transcript-record.ts";

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

/** The row of a request, which goes with its messages into the store. */
export interface RecordedRequest {
  row(message: string): NewRequest;
  isStored: boolean;
}

/** What goes with an answer into the store. */
interface AnswerExtras {
  readonly request?: RecordedRequest | undefined;
  readonly names?: AnswerNames | undefined;
  /** All that the model said and was answered, where the client was shown only a part. */
  readonly given?: readonly unknown[] | undefined;
}

/** What all recordings share. */
export interface RecordingContext extends AppendContext {
  readonly store: ConversationStore;
  /** Records of these messages may come before them. Returns what ends that. */
  expect(tenant: string, hashes: readonly string[]): () => void;
  /** A conversation was made or grew. */
  onAppended?(tenant: string, appended: Appended, known: Known): void;
  readonly citations?: Pick<Citations, "note">;
}

/** What is known of a request when its recording begins. */
export interface Recorded extends AppendedRequest {
  /** Where it belongs; undefined for a first request, of which that is found out later. */
  readonly place: Located | undefined;
}

/** The recording of one request. */
export class Recording {
  /**
   * The request is the first of its conversation, as far as can be told without a look at it: what follows is found out
   * while the upstream is at work, or when it is first asked for.
   */
  readonly isFirst: boolean;
  /** Pages are told of what begins in it once it is stored; they didn't ask. */
  readonly isWatched = false;
  readonly record: TranscriptRecord;
  readonly #context: RecordingContext;
  readonly #of: Recorded;
  readonly #appends: AppendMaker;
  #isStored = false;
  #waiting: PromiseWithResolvers<string | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #located: Located | undefined;
  #before: number | undefined;
  #length: number | undefined;
  #isEnded = false;
  #counted: Known | undefined;
  #newest: string | undefined;
  #unexpect: (() => void) | undefined;
  #request: RecordedRequest | undefined;

  constructor(context: RecordingContext, of: Recorded) {
    this.#context = context;
    this.#of = of;
    this.#appends = new AppendMaker(context, of);
    this.isFirst = of.place === undefined;
    this.record = of.sought.record;
    if (of.place) this.#found(of.place);
  }

  get known(): Known {
    return this.#here().known;
  }

  /** Messages of the transcript that were stored before. */
  get matched(): number {
    this.#here();
    return this.#before ?? 0;
  }

  /** Chain hash of the newest message of the request that was stored before it. */
  get anchor(): string | undefined {
    const { known, matched, goesOn } = this.#here();
    return goesOn?.newest ?? (matched === 0 ? undefined : storedAs(known, this.record.chain[matched]!));
  }

  /** Chain hash of the newest message that was stored by this. */
  get newest(): string | undefined {
    return this.#newest;
  }

  /** Messages of the conversation in the store. A client may leave out some of them. */
  get length(): number {
    return this.#length ?? this.#here().matched;
  }

  /**
   * Was the request before this one served by this node? Then it knows what was sent: either there was none, or nothing was
   * answered since.
   */
  get followsOurs(): boolean {
    const { record, matched } = this;
    if (matched === 0) return true;
    const { known, goesOn } = this.#here();
    const fresh = record.messages.slice(record.start + matched);
    // What is stored behind all that this node has stored was said on another one.
    const isOurs = goesOn === undefined || goesOn.newest === known.newest;
    return known.lastRequestAt > 0 && isOurs && fresh.every(({ role }) => role !== "assistant");
  }

  /** Only a request brings messages into a conversation of a client. */
  get hadRequest(): boolean {
    return this.matched > 0;
  }

  /** The conversation that the request's messages are in, once they are; undefined if they can't be stored. */
  async stored(): Promise<string | undefined> {
    if (this.#isStored) return this.#here().known.id;
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Stores the request's messages, unless the answer comes within moments. */
  begin(): void {
    // A request of several rounds begins once.
    if (this.#timer) return;
    // By then the request is on its way.
    if (!this.#located && !isLongTranscript(this.record.messages)) setImmediate(() => this.#prepare());
    this.#timer = setTimeout(() => {
      this.#writing = this.#write(this.record);
      // Whoever waits for the commit gets the error; until then it is nobody's.
      this.#writing.catch(() => {});
    }, WRITE_ALONE_AFTER_MS);
  }

  /** Stores what isn't stored yet, with the answer. When it resolves, all of it is in the store for good. */
  finish(answer: readonly unknown[], { names, given, request }: AnswerExtras = {}): Promise<void> {
    this.#request = request;
    clearTimeout(this.#timer);
    if (given) this.#appends.setGiven(given);
    const finish = () => this.#finish(answer, names);
    return this.#writing ? this.#writing.then(finish) : finish();
  }

  #finish(answer: readonly unknown[], names: AnswerNames | undefined): Promise<void> {
    const { record } = this;
    const { dialect, sought } = this.#of;
    // A client that goes on by naming the provider's conversation finds ours by it, unless it has a name already.
    const { known } = this.#here();
    const named = names?.conversation;
    if (named !== undefined && !isReservedSession(named) && sought.session === undefined && !known.isNamed)
      known.session = named;
    const withoutReasoning = endWithoutReasoning(record, dialect, answer);
    return this.#write(answer.length === 0 ? record : withAnswer(record, dialect, answer), {
      id: names?.id,
      withoutReasoning,
    });
  }

  /** There will be no answer: stores the request's messages alone. */
  async abandon(request?: RecordedRequest): Promise<void> {
    this.#request = request;
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write(this.record);
  }

  /** The request is done with, one way or the other. */
  end(): void {
    if (this.#counted && !this.#isEnded) this.#counted.underWay--;
    this.#isEnded = true;
    this.#unexpect?.();
  }

  #here(): Located {
    return this.#located ?? this.#found(locateFirst(this.#context, this.#of.sought));
  }

  #found(one: Located): Located {
    if (!this.#isEnded) one.known.underWay++;
    this.#counted = one.known;
    this.#before = one.matched;
    this.#located = one;
    const { tenant } = this.#of.sought;
    this.#unexpect?.();
    // What `fit` makes of messages that aren't stored yet may come before them.
    const fresh = this.record.chain.slice(1 + Math.min(one.matched, one.goesOn?.from ?? one.matched));
    if (!this.#isEnded && fresh.length > 0) this.#unexpect = this.#context.expect(tenant, fresh);
    if (fresh.length === 0) this.#nowStored();
    return one;
  }

  #nowStored(): void {
    this.#isStored = true;
    this.#waiting?.resolve(this.#here().known.id);
  }

  #prepare(): void {
    try {
      runNow(this.#appends.prepareSteps(this.#here()));
    } catch {
      // Whoever stores it meets the same error, and can tell it.
    }
  }

  /** Stores everything behind what is stored already. */
  async #write(upTo: TranscriptRecord, answer: Answered = {}): Promise<void> {
    const { tenant, lane, dialect } = this.#of.sought;
    try {
      if (isLongTranscript(this.record.messages))
        await createPace().run(this.#appends.prepareSteps(this.#here()));
      await this.#append(upTo, answer);
    } catch (error) {
      const { id } = this.#here().known;
      if (id === undefined || !isRefusal(error)) throw error;
      // The conversation was deleted meanwhile: what the client still has of it is a new one.
      this.#context.memory.forget(id);
      this.#located = { known: invented(tenant, lane, dialect), matched: 0 };
      await this.#append(upTo, answer);
    } finally {
      this.#nowStored();
    }
  }

  /** What a failing store didn't take may have come there meanwhile: then this request goes on with it. */
  #lookAgain(): void {
    const { known } = this.#here();
    if (known.id !== undefined || !this.record.hasAnswer) return;
    const near = locateNear(this.#context, this.#of.sought);
    if (near?.known.id === undefined || !saysAnswer(this.record, near.matched)) return;
    if (!this.#isEnded) known.underWay--;
    this.#found(near);
  }

  async #append(upTo: TranscriptRecord, answer: Answered): Promise<void> {
    const { store } = this.#context;
    this.#lookAgain();
    const input = this.#appends.make(upTo, this.#here(), answer.id);
    if (!input) return;
    const request = this.#request;
    const end = storedAs(this.#here().known, this.record.chain.at(-1)!);
    const whole = request ? { ...input, request: request.row(end) } : input;
    const appended = await store.append(this.#of.sought.tenant, whole);
    if (request) request.isStored = true;
    this.#appended(upTo, answer, input, appended);
  }

  #appended(upTo: TranscriptRecord, { withoutReasoning }: Answered, input: Append, appended: Appended): void {
    const { memory, headMark, onAppended, citations } = this.#context;
    const { chain } = upTo;
    const { matched } = this.#here();
    const { known } = this.#here();
    known.id = appended.conversation;
    const head = upTo.head();
    if (head === undefined) known.head = undefined;
    else if (input.head !== undefined) known.head = headMark(head);
    this.#located = { known, matched: chain.length - 1 };
    this.#length = appended.length;
    const end = chain.at(-1)!;
    this.#newest = end;
    known.withoutReasoning =
      withoutReasoning === undefined ? undefined : { comesAs: withoutReasoning, is: end };
    // A client that asks once more sends the request without its answer.
    if (upTo !== this.record) memory.remember(this.record.chain.at(-1)!, known);
    if (withoutReasoning !== undefined) memory.remember(withoutReasoning, known);
    memory.remember(end, known);
    onAppended?.(this.#of.sought.tenant, appended, known);
    citations?.note(this.#of.sought.tenant, appended.conversation, upTo.messages, upTo.start + matched);
  }
}

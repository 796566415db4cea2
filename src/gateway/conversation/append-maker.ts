import { stringifyDeep } from "../../core/deep-json.ts";
import { runNow, type Steps } from "../../core/steps.ts";
import type { Dialect } from "../../core/types.ts";
import type { Append, NewMessage } from "../../stores/server-store.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { WireRequest } from "../wires/wire.ts";
import { givenAnswersIn } from "./find-hidden.ts";
import { type Located, type Sought, storedAs } from "./locate.ts";
import type { ConversationMemory } from "./memory.ts";
import { ending, newMessageSteps, type TranscriptRecord, titleOf } from "./transcript-record.ts";

/** What the appends of all requests are made with. */
export interface AppendContext {
  readonly memory: ConversationMemory;
  readonly redact: boolean;
  /** A short mark, the same for equal heads. */
  headMark(head: string): string;
}

/** A request whose messages are stored. */
export interface AppendedRequest {
  readonly dialect: Dialect<unknown>;
  readonly asked: Pick<WireRequest, "model">;
  readonly at: number;
  readonly sought: Sought;
}

/** Makes what the store is given of one request. Each message is made once, by whoever needs it first. */
export class AppendMaker {
  readonly #context: AppendContext;
  readonly #request: AppendedRequest;
  readonly #made: NewMessage[] = [];
  #given: readonly string[] | undefined;
  #givenBefore: ReturnType<typeof givenAnswersIn> | undefined;

  constructor(context: AppendContext, request: AppendedRequest) {
    this.#context = context;
    this.#request = request;
  }

  /** All that the model said and was answered, where the client is shown only a part of this request's answer. */
  setGiven(given: readonly unknown[]): void {
    this.#given = given.map((message) => this.#written(message));
  }

  /** Makes the request's own messages that aren't stored yet. */
  *prepareSteps(located: Located): Steps<void> {
    const { record } = this.#request.sought;
    for (let index = located.goesOn?.from ?? located.matched; index < record.chain.length - 1; index++) {
      yield* this.#messageSteps(record, index, located);
      yield;
    }
    record.head();
  }

  /** Everything behind what is stored already; undefined if there is nothing. */
  make(upTo: TranscriptRecord, located: Located, answerId: string | undefined): Append | undefined {
    const { redact } = this.#context;
    const { dialect, asked, at } = this.#request;
    const { chain } = upTo;
    const { known, matched, goesOn } = located;
    // An answer without words ends with the last message, which may be stored already: it is said once more, with the id.
    const isSaidAgain = answerId !== undefined && matched > 0 && matched === chain.length - 1;
    const from = goesOn?.from ?? (isSaidAgain ? matched - 1 : matched);
    const fresh: NewMessage[] = [];
    for (let index = from; index < chain.length - 1; index++)
      fresh.push(runNow(this.#messageSteps(upTo, index, located)));
    const head = upTo.head();
    const isNewHead = head !== undefined && this.#context.headMark(head) !== known.head;
    if (fresh.length === 0 && !isNewHead) return undefined;
    const append: { -readonly [K in keyof Append]: Append[K] } = {
      session: known.session,
      messages: answerId === undefined ? fresh : ending(fresh, answerId),
      dialect: dialect.id,
      at,
    };
    if (known.isNamed) append.named = true;
    if (known.id === undefined) {
      append.title = titleOf(upTo.messages);
      if (known.isInvented) append.isNew = true;
    } else {
      append.conversation = known.id;
      if (from > 0) append.after = goesOn?.after ?? storedAs(known, chain[from]!);
    }
    if (isNewHead) append.head = redact ? redactSecrets(head) : head;
    if (asked.model !== "") append.model = asked.model;
    return append;
  }

  *#messageSteps(upTo: TranscriptRecord, index: number, { goesOn }: Located): Steps<NewMessage> {
    const given = this.#givenAt(index);
    this.#made[index] ??= {
      ...(yield* newMessageSteps(upTo, index, this.#request.at, this.#context.redact)),
      ...(given && { given }),
      ...goesOn?.rewritten.get(index),
    };
    return this.#made[index];
  }

  /** Also of an answer that the client says again, where the store failed to take it when it was given. */
  #givenAt(index: number): readonly string[] | undefined {
    const { record, tenant } = this.#request.sought;
    if (index === record.chain.length - 1) return this.#given;
    const place = record.start + index;
    if (record.messages[place]?.role !== "assistant") return undefined;
    this.#givenBefore ??= givenAnswersIn(this.#context.memory, tenant, record);
    return this.#givenBefore.get(place)?.map((message) => this.#written(message));
  }

  #written(message: unknown): string {
    const text = stringifyDeep(message);
    return this.#context.redact ? redactSecrets(text) : text;
  }
}

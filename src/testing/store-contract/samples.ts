import type { AnswerSizes, Checkpoint, Recalled, Summary, Undo } from "../../core/types.ts";
import type { Append, Appended, NewMessage, ServerStore } from "../../stores/server-store.ts";

/** What every group of cases works with. */
export interface ContractContext {
  readonly store: ServerStore;
  /** The store's clock, in milliseconds; a case may move it. */
  now: number;
  /** The store goes by that clock for leases, too. */
  readonly ownClock: boolean;
  /** Opens another empty store. */
  open(): Promise<ServerStore>;
  /** Two tenants that no other case has, because opening a database for each would take long. */
  tenants(): readonly [string, string];
  add(tenant: string, input: Partial<Append> & Pick<Append, "messages">): Promise<Appended>;
}

/** When all tests begin, in milliseconds. */
export const START = 1_700_000_000_000;
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** A transcript with made-up chain hashes: message i of `path` hashes like every other that begins the same. */
export function storedTranscript(...path: readonly string[]): NewMessage[] {
  return path.map((text, i) => ({
    hash: `h:${path.slice(0, i + 1).join("/")}`,
    role: i % 2 === 0 ? "user" : "assistant",
    wire: JSON.stringify({ role: i % 2 === 0 ? "user" : "assistant", content: text }),
    tokens: text.length,
    at: START + i,
  }));
}

export const hashesOf = (messages: readonly NewMessage[]) => messages.map((message) => message.hash);

/** The JSON of stored messages. */
export const textsOf = (messages: readonly NewMessage[]) => messages.map((message) => message.wire);

export function checkpoint(id: string, hash: string): Checkpoint {
  return {
    id,
    hash,
    length: 2,
    dialect: "openai-chat",
    strategy: "summarize-oldest",
    budget: 1_000,
    entries: [{ type: "keep", from: 0, to: 2 }],
    texts: { a: "line\nbreak \u0000 \ud83d\ude00 \ud800" },
    at: START,
    reason: "pressure",
    rung: "extractive",
    tokens: { before: 10, after: 5 },
    sealed: 0,
    seen: { messages: 2, turns: 1, hash, length: 2 },
  };
}

export function summary(key: string, hash: string, text = "all of it"): Summary {
  return {
    key,
    hash,
    text,
    covers: { from: 0, to: 2 },
    level: 0,
    prompt: "agent/1",
    model: "m",
    author: "model",
    tokens: { source: 10, text: 3 },
    at: START,
    proof: "p",
  };
}

export const undo = (id: string): Undo => ({ checkpoint: id, at: START, pressure: 0.5 });

export const answers = (hash: string, model: string, tokens: number): AnswerSizes => ({
  hash,
  model,
  sizes: [[START, tokens]],
});

/** What a view quotes for the message with this hash. */
export const recalled = (hash: string, checkpoint: string, from = 0): Recalled => ({
  hash,
  length: 1,
  checkpoint,
  passages: [[0, 0, from, from + 10]],
  at: START,
});

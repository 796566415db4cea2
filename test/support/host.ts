import type { ChatMessage } from "../../src/apis/index.ts";
import type {
  CompactInput,
  CompactorOptions,
  FitInput,
  FitResult,
  Sized,
  State,
} from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { longRun, toWire } from "../../src/testing/arbitraries/index.ts";
import { chat, checkView } from "../../src/testing/index.ts";
import { counterOf } from "./count.ts";
import { dialectOf } from "./dialects.ts";

const MINUTE_MS = 60_000;
const START = 1_700_000_000_000;

/** A chat application in a few lines: keeps its transcript and its state, and asks for a view before each request. */
export interface Host {
  readonly transcript: object[];
  state: State | undefined;
  /** Judges every view; a breach is thrown. */
  fit(input?: FitInput<object>): Promise<FitResult<object>>;
  /** The same for a compaction that a person asks for. */
  compact(input?: CompactInput<object>): Promise<FitResult<object>>;
  close(): Promise<void>;
}

export function createHost(
  options: Partial<CompactorOptions<object>> & { readonly id?: string },
  transcript: readonly object[] = [],
): Host {
  const { id = "openai-chat", ...rest } = options;
  const dialect = dialectOf(id);
  const compactor = createCompactor<object>({ dialect, ...(rest as typeof rest & Sized) });
  const count = counterOf(dialect);
  let calls = 0;
  const judged = async (make: "fit" | "compact", input: CompactInput<object>) => {
    const snapshot = JSON.stringify(host.transcript);
    const now = START + calls++ * MINUTE_MS;
    const result = await compactor[make](host.transcript, {
      now,
      lastRequestAt: now,
      ...(host.state !== undefined && { state: host.state }),
      ...input,
    });
    const breaches = checkView({
      dialect: id,
      transcript: host.transcript,
      snapshot,
      system: input.system,
      extras: input.extras ?? [],
      result,
      count,
    });
    if (breaches.length > 0) throw new Error(`The view is not valid:\n${breaches.join("\n")}`);
    host.state = result.state;
    return result;
  };
  const host: Host = {
    transcript: [...transcript],
    state: undefined,
    fit: (input = {}) => judged("fit", input),
    compact: (input = {}) => judged("compact", input),
    close: () => compactor.close(),
  };
  return host;
}

/** A coding session of `rounds` rounds on the wire of a dialect. */
export function session(rounds: number, id = "openai-chat"): { messages: object[]; system?: string } {
  const wire = toWire(id, longRun(rounds));
  return { messages: [...wire.messages], ...(wire.system !== undefined && { system: wire.system }) };
}

/** A talk of `turns` turns in chat form; each message names its number, so that a test can look for it. */
export function talk(turns: number, from = 0): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (let turn = from; turn < from + turns; turn++) {
    messages.push(
      chat.user(`Question ${turn}: what does module-${turn}.ts do? ${"Please be thorough. ".repeat(8)}`),
      chat.assistant(
        `Answer ${turn}: module-${turn}.ts exports value${turn}. ${"It is simple. ".repeat(30)}`,
      ),
    );
  }
  return messages;
}

/** Everything that the model gets to see. */
export const sent = (result: Pick<FitResult<object>, "messages" | "system">): string =>
  JSON.stringify([result.system ?? null, result.messages]);

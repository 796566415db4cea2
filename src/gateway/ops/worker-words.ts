import type { BusyWord } from "../telemetry/busy.ts";
import type { SentEvent } from "../telemetry/live.ts";
import type { Counted } from "../telemetry/totals.ts";

/** What the processes of one server tell each other; the first process passes it on. */
export type Word =
  | { readonly type: "listening"; readonly address: string }
  /** It can't be started; the words are for people. */
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "event"; readonly event: SentEvent }
  /** Somebody waits for the end. */
  | { readonly type: "hurry" }
  | BusyWord
  /** Asks all for what they counted; `data` is one's answer, `all` are those of all. */
  | { readonly type: "ask"; readonly id: string; readonly of: Counted }
  | { readonly type: "tell"; readonly id: string; readonly data: unknown }
  | { readonly type: "told"; readonly id: string; readonly all: readonly unknown[] };

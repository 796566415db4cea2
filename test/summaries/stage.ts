import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { CompactorOptions, FitInput, FitResult, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat, checkView, createFakeClock, type FakeClock } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { talk } from "../support/host.ts";

/** A chat that can be filled to any pressure, with a clock that moves only when it is told to. */
export interface Stage {
  readonly clock: FakeClock;
  readonly compactor: ReturnType<typeof createCompactor<ChatMessage>>;
  readonly transcript: ChatMessage[];
  /** Names of the events, in order, with what matters about them. */
  readonly events: string[];
  state: State | undefined;
  lastRequestAt: number | undefined;
  /** Adds turns until a view of the transcript would have at least this pressure; ends with a user message. */
  fillTo(pressure: number): Promise<number>;
  pressure(): Promise<number>;
  /** A request of the host: its view is judged, and its time remembered. */
  fit(input?: FitInput<ChatMessage>): Promise<FitResult<ChatMessage>>;
}

export const BUDGET = 20_000;

export function createStage(options: Partial<CompactorOptions<ChatMessage>> = {}): Stage {
  const clock = createFakeClock();
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: BUDGET,
    startAt: 0.8,
    ...options,
  });
  const events: string[] = [];
  compactor.on("started", ({ reason }) => events.push(`started ${reason}`));
  compactor.on("completed", ({ report }) => events.push(`completed ${report.rungs.at(-1)?.rung}`));
  compactor.on("failed", ({ error }) => events.push(`failed ${error.message}`));
  compactor.on("cancelled", ({ reason }) => events.push(`cancelled ${reason}`));
  const count = counterOf(openaiChat);
  let turn = 0;
  const stage: Stage = {
    clock,
    compactor,
    transcript: [chat.system("You help.")],
    events,
    state: undefined,
    lastRequestAt: undefined,
    async pressure() {
      const input = stage.state === undefined ? {} : { state: stage.state };
      return (await compactor.pressure(stage.transcript, input)).pressure;
    },
    async fillTo(wanted) {
      if (stage.transcript.at(-1)?.role === "user") stage.transcript.push(chat.assistant("Go on."));
      let turns = 1;
      let before: number | undefined;
      for (;;) {
        stage.transcript.push(...talk(turns - 1, turn));
        turn += turns;
        const [question, answer] = talk(1, turn - 1);
        stage.transcript.push(question!);
        const reached = await stage.pressure();
        if (reached >= wanted) return reached;
        stage.transcript.push(answer!);
        // Half of what is missing, so that it ends with the same turn as if each were measured.
        const perTurn = before === undefined ? 0 : (reached - before) / turns;
        turns = perTurn > 0 ? Math.max(1, Math.floor((wanted - reached) / perTurn / 2)) : 1;
        before = reached;
      }
    },
    async fit(input = {}) {
      const now = clock.now();
      const result = await compactor.fit(stage.transcript, {
        now,
        ...(stage.lastRequestAt !== undefined && { lastRequestAt: stage.lastRequestAt }),
        ...(stage.state !== undefined && { state: stage.state }),
        ...input,
      });
      const { transcript } = stage;
      const breaches = checkView({ dialect: "openai-chat", transcript, extras: [], result, count });
      if (breaches.length > 0) throw new Error(`The view is not valid:\n${breaches.join("\n")}`);
      stage.state = result.state;
      stage.lastRequestAt = now;
      return result;
    },
  };
  return stage;
}

import { BudgetImpossibleError } from "../../src/core/errors.ts";
import type { Compactor, CompactorOptions, FitInput, FitResult, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { dialectOf } from "../support/dialects.ts";
import { type Conversation, createTalk, type Talk } from "./conversation.ts";
import { markingModel } from "./marking-model.ts";
import { createRandom, type Random } from "./random.ts";
import { writeWire } from "./wires.ts";

/** What a host remembers: a state, and the view that came with it. */
export interface Memory {
  readonly state: State | undefined;
  readonly view: FitResult<object> | undefined;
}

/** A host that does everything that hosts do with a conversation, in any order. */
export interface Session {
  readonly random: Random;
  readonly talk: Talk;
  readonly dialect: string;
  conversation: Conversation;
  memory: Memory;
  budget: number;
  clock: number;
  hostState: string | undefined;
  /** A marker: messages that hold it are pinned. */
  pin: string | undefined;
  readonly forks: { readonly conversation: Conversation; readonly memory: Memory }[];
  compactor: Compactor<object>;
  /** A compactor for the present budget, as another process would make it. */
  renew(): void;
  messages(): object[];
  input(): FitInput<object>;
  /** The call's result, or undefined where the budget is impossible. */
  ask(call: Ask): Promise<FitResult<object> | undefined>;
}

type Ask = (
  compactor: Compactor<object>,
  messages: object[],
  input: FitInput<object>,
) => Promise<FitResult<object>>;

const START = 1_700_000_000_000;
const SECOND_MS = 1_000;
const BUDGETS = [300, 2_000] as const;

export function createSession(seed: number, dialect: string): Session {
  const random = createRandom(seed);
  const { int, chance, pick } = random;
  const talk = createTalk(random);
  const fixed: Partial<CompactorOptions<object>> = {
    dialect: dialectOf(dialect),
    ...(chance(0.4) && { store: memoryStore() }),
    ...(chance(0.25) && { summarizer: markingModel(), waitMs: pick([0, 2 * SECOND_MS]) }),
    ...(chance(0.3) && { profile: profiles[pick(["agent", "desktop", "editor", "rag"] as const)] }),
    ...(chance(0.2) && { strategy: pick(["truncate-oldest", "drop-middle", "tool-summaries"] as const) }),
  };
  const make = (budget: number): Compactor<object> =>
    createCompactor<object>({ dialect: dialectOf(dialect), ...fixed, budget });
  const budget = int(...BUDGETS);
  const session: Session = {
    random,
    talk,
    dialect,
    conversation: talk.conversation({ turns: int(1, 4) }),
    memory: { state: undefined, view: undefined },
    budget,
    clock: START,
    hostState: undefined,
    pin: undefined,
    forks: [],
    compactor: make(budget),
    renew() {
      session.compactor = make(session.budget);
    },
    messages: () => writeWire(dialect, session.conversation).messages,
    input() {
      const { system } = writeWire(dialect, session.conversation);
      const { memory, clock, hostState, pin } = session;
      return {
        now: clock,
        lastRequestAt: clock - SECOND_MS,
        ...(system !== undefined && { system }),
        ...(memory.state !== undefined && { state: memory.state }),
        ...(hostState !== undefined && { hostState }),
        ...(pin !== undefined && { pins: (message: object) => JSON.stringify(message).includes(pin) }),
      };
    },
    async ask(call) {
      try {
        return await call(session.compactor, session.messages(), session.input());
      } catch (error) {
        if (error instanceof BudgetImpossibleError) return undefined;
        throw error;
      }
    },
  };
  return session;
}

/** A budget that the host changes to. */
export const anotherBudget = ({ int }: Random): number => int(...BUDGETS);

import type { FitResult, PrefixReason } from "../../src/core/types.ts";
import type { Conversation, Turn } from "./conversation.ts";
import { anotherBudget, type Session } from "./session.ts";
import { markersIn } from "./writer.ts";

/** One thing that a host does before its next request. */
export interface Operation {
  /** For what reasons the next view may differ from the last one, beside a compaction. */
  readonly may?: readonly PrefixReason[];
  /** Its result, where it asks for a view by itself; otherwise `fit` is called. `beside`: a view that isn't the conversation's own. */
  run(
    session: Session,
  ): Promise<{ readonly result: FitResult<object> | undefined; readonly beside?: boolean } | undefined>;
}

const HOUR_MS = 3_600_000;

/** Something follows only what was answered. */
function closeLastTurn({ conversation, talk }: Session): void {
  const last = conversation.turns.at(-1)!;
  last.answer ??= talk.said();
}

const copy = (conversation: Conversation): Conversation => structuredClone(conversation);

/** Other words for something that was said, asked or answered. */
function rewrite({ random, talk, conversation }: Session, turn: Turn): void {
  const { writer } = talk;
  const round = turn.rounds.length > 0 ? random.pick(turn.rounds) : undefined;
  const ways: readonly (() => void)[] = [
    () => Object.assign(turn.user, talk.said()),
    ...(turn.answer ? [() => Object.assign(turn.answer!, talk.said())] : []),
    ...(round
      ? [
          () => Object.assign(random.pick(round.calls), { result: writer.result() }),
          () => Object.assign(random.pick(round.calls), { args: { path: writer.marker() } }),
          () => Object.assign(round, { say: writer.text(5) }),
        ]
      : []),
    ...(conversation.system === undefined
      ? []
      : [() => Object.assign(conversation, { system: writer.text(20) })]),
  ];
  random.pick(ways)();
}

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  append: {
    async run(session) {
      const { random, talk, conversation } = session;
      const last = conversation.turns.at(-1)!;
      // The model goes on in a tool loop, or the user has the next word.
      if (last.answer === undefined && random.chance(0.6)) last.rounds.push(talk.round());
      else {
        closeLastTurn(session);
        conversation.turns.push(...talk.conversation({ turns: 1 }).turns);
      }
    },
  },
  edit: {
    may: ["transcript", "system"],
    async run(session) {
      rewrite(session, session.random.pick(session.conversation.turns));
    },
  },
  fork: {
    may: ["transcript", "pin"],
    async run(session) {
      const { random, talk, conversation, forks } = session;
      forks.push({ conversation: copy(conversation), memory: session.memory });
      session.conversation.turns = conversation.turns.slice(0, random.int(1, conversation.turns.length));
      closeLastTurn(session);
      session.conversation.turns.push({ ...talk.turn(), rounds: [], answer: undefined });
    },
  },
  "back to a fork": {
    may: ["transcript", "system", "pin", "undo", "larger-budget", "unproven"],
    async run(session) {
      const fork = session.forks.shift();
      if (fork === undefined) return;
      session.conversation = copy(fork.conversation);
      // Hosts keep a state for each branch, or one for all.
      if (session.random.chance(0.5)) session.memory = fork.memory;
    },
  },
  truncate: {
    may: ["transcript", "pin"],
    async run({ conversation, random }) {
      conversation.turns = conversation.turns.slice(0, random.int(1, conversation.turns.length));
    },
  },
  undo: {
    may: ["undo"],
    async run(session) {
      const { memory, compactor } = session;
      session.memory = { ...memory, state: await compactor.undo(session.messages(), session.input()) };
    },
  },
  pin: {
    may: ["pin"],
    async run(session) {
      const { user } = session.random.pick(session.conversation.turns);
      session.pin = [...markersIn(user.text)][0];
    },
  },
  unpin: {
    may: ["pin"],
    async run(session) {
      session.pin = undefined;
    },
  },
  compact: {
    run: async (session) => ({
      result: await session.ask((compactor, messages, input) => compactor.compact(messages, input)),
    }),
  },
  "compact to a budget": {
    async run(session) {
      const budget = session.random.int(200, 900);
      const result = await session.ask((compactor, messages, input) =>
        compactor.compact(messages, { ...input, budget }),
      );
      return { result, beside: true };
    },
  },
  adopt: {
    async run(session) {
      const budget = session.random.int(200, 900);
      const result = await session.ask((compactor, messages, input) =>
        compactor.compact(messages, { ...input, budget, adopt: true }),
      );
      // What fits anyway is shown to this caller, and there is nothing to adopt.
      return { result, beside: result?.report.outcome !== "compacted" };
    },
  },
  rebuild: {
    run: async (session) => ({
      result: await session.ask((compactor, messages, input) => compactor.rebuild(messages, input)),
    }),
  },
  "another window": {
    may: ["larger-budget", "unproven"],
    async run(session) {
      session.budget = anotherBudget(session.random);
      session.renew();
    },
  },
  "another process": {
    may: ["unproven"],
    async run(session) {
      session.renew();
    },
  },
  "state through JSON": {
    async run(session) {
      const { state, view } = session.memory;
      session.memory = { state: state && JSON.parse(JSON.stringify(state)), view };
    },
  },
  "state lost": {
    async run(session) {
      session.memory = { state: undefined, view: undefined };
    },
  },
  "host state": {
    async run(session) {
      session.hostState = `${session.talk.writer.marker()} is under way`;
    },
  },
  "clock set back": {
    async run(session) {
      session.clock -= session.random.int(1, 5) * HOUR_MS;
    },
  },
};

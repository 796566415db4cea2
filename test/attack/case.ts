import { BudgetImpossibleError } from "../../src/core/errors.ts";
import type { CompactorOptions, FitInput, FitResult, Placement } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { strategies } from "../../src/engine/settings/settings.ts";
import { profiles } from "../../src/profiles/index.ts";
import { dialectOf } from "../support/dialects.ts";
import { createTalk } from "./conversation.ts";
import { leastTokens, mostTokens, tokensOf } from "./judge-view.ts";
import { look, roundAt } from "./look.ts";
import { createRandom, type Random } from "./random.ts";
import { type Wire, writeWire } from "./wires.ts";

const NOW = 1_700_000_000_000;
const SMALLEST_BUDGET = 120;

/** One call of the engine: a conversation, options, input, and the way in which a view is asked for. */
export interface Case {
  readonly seed: number;
  readonly dialect: string;
  readonly wire: Wire;
  readonly options: CompactorOptions<object> & { readonly budget: number };
  readonly input: FitInput<object> & { readonly pins?: readonly number[] };
  readonly way: "fit" | "compact" | "fill" | "grown";
}

/** The case with this number. */
export function makeCase(seed: number, dialect: string): Case {
  const random = createRandom(seed);
  const { int, chance, pick } = random;
  const talk = createTalk(random);
  const turns = int(1, chance(0.75) ? 4 : 12);
  const conversation = talk.conversation({ turns, faults: chance(0.15) ? 0.2 : 0 });
  const wire = writeWire(dialect, conversation);
  const total = wire.messages.reduce((sum, message) => sum + leastTokens(look(dialect, message)), 0);
  const budget = Math.max(SMALLEST_BUDGET, Math.floor(total * (0.08 + random.next() * 0.95)));
  return {
    seed,
    dialect,
    wire,
    options: {
      dialect: dialectOf(dialect),
      budget,
      ...(chance(0.5) && { strategy: pick(Object.keys(strategies) as (keyof typeof strategies)[]) }),
      ...(chance(0.3) && { profile: profiles[pick(Object.keys(profiles) as (keyof typeof profiles)[])] }),
      ...(chance(0.25) && { placement: pick<Placement>(["user", "system", "merged"]) }),
      ...(chance(0.2) && { tail: makeTail(random) }),
    },
    input: {
      now: NOW,
      ...(wire.system !== undefined && { system: wire.system }),
      ...(chance(0.15) && { pins: [pick(pinnable(dialect, wire))] }),
      ...(chance(0.1) && { hostState: `${talk.writer.marker()} is under way` }),
    },
    way: pick(["fit", "fit", "compact", "fill", "grown"]),
  };
}

/** Everything but items of nothing but reasoning: that may leave whatever it stands with. */
const pinnable = (dialect: string, { messages }: Wire): number[] =>
  messages.flatMap((message, index) => {
    const { texts, calls, results } = look(dialect, message);
    return texts.length + calls.length + results.length > 0 ? [index] : [];
  });

const makeTail = ({ chance, pick, int }: Random): NonNullable<CompactorOptions<object>["tail"]> =>
  chance(0.3) ? { share: pick([0.2, 0.5]) } : { [pick(["messages", "rounds", "turns"])]: int(1, 6) };

/** What `compact` is asked to fill, where it is. */
export const toFill = (budget: number): number => Math.max(100, Math.floor(budget * 0.8));

export async function viewOf({ wire, options, input, way }: Case): Promise<FitResult<object>> {
  const compactor = createCompactor<object>(options);
  const { messages } = wire;
  switch (way) {
    case "fit":
      return compactor.fit(messages, input);
    case "compact":
      return compactor.compact(messages, input);
    case "fill":
      return compactor.compact(messages, { ...input, budget: toFill(options.budget) });
    case "grown": {
      // A view of the first half is in the state, and the second half comes on top of it.
      const half = messages.slice(0, Math.ceil(messages.length / 2));
      const pins = input.pins?.filter((index) => index < half.length) ?? [];
      const before = await compactor.fit(half, { ...input, pins }).catch(onlyImpossible);
      return compactor.fit(messages, { ...input, ...(before && { state: before.state }) });
    }
  }
}

export function onlyImpossible(error: unknown): undefined {
  if (!(error instanceof BudgetImpossibleError)) throw error;
}

/** What no view may leave out: system prompt, last user message, pins with their rounds. */
export function needed({ dialect, wire, input }: Case): number {
  const looks = wire.messages.map((message) => look(dialect, message));
  const must = new Set((input.pins ?? []).flatMap((pin) => roundAt(looks, pin)));
  must.add(looks.findLastIndex(({ role, texts }) => role === "user" && texts.length > 0));
  const head = looks.findIndex(({ role }) => role !== "system");
  const shown = looks.filter((_, index) => index < head || must.has(index));
  return shown.reduce((sum, each) => sum + mostTokens(each), tokensOf(wire.system ?? ""));
}

import { dialects } from "../apis/index.ts";
import { defined } from "../core/defined.ts";
import { STRATEGY_NAMES } from "../core/strategy-names.ts";
import type { CompactorOptions, Profile, Sized, StrategyName } from "../core/types.ts";
import { windowOptions } from "../eval/replay/model-counting.ts";
import { PROFILE_NAMES, profiles } from "../profiles/index.ts";
import { modelInfo } from "../tokens/index.ts";
import { type Flag, oneOf, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parseCount } from "./parse-tokens.ts";

/** Flags of the engine that several commands share. */
export const ENGINE_FLAGS = {
  profile: {
    value: "P",
    help: `options for a kind of host: ${PROFILE_NAMES.join(", ")} (default: agent)`,
  },
  strategy: { value: "S", help: `how to make room: ${STRATEGY_NAMES.join(", ")}` },
  dialect: {
    value: "D",
    help: `wire format of the messages, instead of guessing: ${Object.keys(dialects).join(", ")}`,
  },
  pick: { value: "N", help: "which conversation of a file that holds several, from 1" },
} as const satisfies Record<string, Flag>;

export interface EngineChoice {
  readonly profile: Profile;
  readonly strategy?: StrategyName;
  readonly dialect?: string;
  /** Which conversation of a file, from 1. */
  readonly pick?: number;
}

export function engineChoice(flags: ParsedFlags): EngineChoice {
  const profile = oneOf("profile", flags.value("profile"), PROFILE_NAMES) ?? "agent";
  return {
    profile: profiles[profile],
    ...defined({
      strategy: oneOf("strategy", flags.value("strategy"), STRATEGY_NAMES),
      dialect: oneOf("dialect", flags.value("dialect"), Object.keys(dialects)),
      pick: flags.parsed("pick", parseCount),
    }),
  };
}

export function knownModel(flag: string, id: string): string {
  if (modelInfo(id).known) return id;
  const fix =
    flag === "prices"
      ? "Name a model whose prices it holds, such as claude-sonnet-5."
      : "Give its size with --window instead.";
  throw new UsageError(`--${flag} ${id}: this model isn't in the registry. ${fix}`);
}

/** The compactor's own cap where the command says how small. */
const UNCAPPED = 1_000_000_000;

/** Counts as the model that a file names does, as `replay` and the page do, so that a file has one size everywhere. */
export function countedAs(
  model: string | undefined,
  window?: number,
): Sized & Pick<CompactorOptions<unknown>, "models"> {
  if (model === undefined || model === "") return window === undefined ? { budget: UNCAPPED } : { window };
  return windowOptions(model, window ?? UNCAPPED);
}

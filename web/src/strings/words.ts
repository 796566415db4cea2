import { count } from "../state/format.ts";

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** What a person calls the reasons, steps and strategies that the server names: the same words as everywhere. */
export {
  COVERED_WORDS as covered,
  DROP_WORDS as dropReasons,
  EDIT_REASONS as editReasons,
  KEEP_WORDS as keepReasons,
  REASON_WORDS as reasons,
  RUNG_WORDS as rungs,
  STRATEGY_WORDS as strategies,
} from "../../../src/gateway/api.ts";

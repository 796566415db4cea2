import type { z } from "zod";
import { givingWay } from "../core/budget.ts";
import { isGroup, type Kind, type Rows, TUNING } from "../core/options.ts";
import type { Tuning } from "../core/types.ts";
import { object, ofKind, text } from "./values.ts";

/** What a config may give for an option: sizes as texts with a unit, too. */
export const schemaOf = (row: Kind): z.ZodType =>
  row.is === "prompt"
    ? text("prompt", "Give the name of a prompt, such as agent, or what a summary should hold.")
    : ofKind(row);

/** Numbers and times may be written with their unit. */
type Written<T> = T extends number ? T | string : T extends object ? { [K in keyof T]: Written<T[K]> } : T;
type Fields = { [K in keyof Tuning]-?: z.ZodOptional<z.ZodType<Tuning[K], Written<Tuning[K]>>> };

const fieldsOf = (rows: Rows): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => {
      const type = isGroup(row) ? object(fieldsOf(row.rows)) : schemaOf(row);
      return [name, "needed" in row ? type : type.optional()];
    }),
  );

/** Every option of the table, as a config may give it. */
export const tuningFields = fieldsOf(TUNING) as Fields;
const { budget: _budget, strategy: _strategy, ...fineTuning } = tuningFields;

/** The schema of `x-precis-options`. */
export const requestTuning = object(fineTuning);

const PICKED = Object.keys(fineTuning) as readonly (keyof typeof fineTuning)[];

/** The engine's options among those of a config, an upstream or a request. What isn't set is left out. */
export function pickTuning(from: { readonly [K in keyof typeof fineTuning]?: unknown }): Tuning {
  return withoutUnset(Object.fromEntries(PICKED.map((name) => [name, from[name]])));
}

/** Several sets of options, the later ones over the earlier. What is made of options is put together, too. */
export function mergeTuning(...sets: readonly (Tuning | undefined)[]): Tuning {
  return sets.reduce<Tuning>(
    (below, above) => (above ? mergeTwo(givingWay(below, above), above) : below),
    {},
  );
}

function mergeTwo(below: Tuning, above: Tuning): Tuning {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Options that are set. What is made of options is left out where none of them is. */
export function withoutUnset(options: object): Tuning {
  return Object.fromEntries(
    Object.entries(options)
      .map(([name, value]) => [name, isObject(value) ? withoutUnset(value) : value] as const)
      .filter(([, value]) => value !== undefined && !(isObject(value) && Object.keys(value).length === 0)),
  );
}

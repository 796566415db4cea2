import { isFields } from "../apis/logs/fields.ts";
import { stringifyDeep } from "../core/deep-json.ts";
import { parseExact } from "../core/exact-json.ts";
import type { Dialect } from "../core/types.ts";

/** What stands before a conversation's messages. */
export interface Head {
  /** The system prompt, in a format that keeps it apart. */
  readonly system: unknown;
  /** Leading system messages; some clients send both. */
  readonly lead: readonly unknown[];
}

/** As JSON text, for the store. Undefined if there is none. */
export function writeHead(
  { rules }: Pick<Dialect<unknown>, "rules">,
  { system, lead }: Head,
): string | undefined {
  const isEmpty = system === undefined || system === null || (Array.isArray(system) && system.length === 0);
  if (rules.system === "message" || isEmpty) return lead.length === 0 ? undefined : stringifyDeep(lead);
  return stringifyDeep(lead.length === 0 ? system : { system, lead });
}

export function readHead({ rules }: Pick<Dialect<unknown>, "rules">, text: string | undefined): Head {
  const said: unknown = text === undefined ? undefined : parseExact(text);
  if (rules.system === "message") return { system: undefined, lead: Array.isArray(said) ? said : [] };
  if (isFields(said) && Array.isArray(said["lead"])) return { system: said["system"], lead: said["lead"] };
  // A system prompt may be a list of its parts, too; messages are those with a role.
  const isLead =
    Array.isArray(said) && said.length > 0 && said.every((one) => isFields(one) && "role" in one);
  return isLead ? { system: undefined, lead: said } : { system: said, lead: [] };
}

import type { Dialect, ToolCallPart } from "../../core/types.ts";
import { quotedNumbers, readInput } from "../../recall/recall-tool.ts";
import type { StoredMessage } from "../../stores/server-store.ts";
import type { Lookup } from "../api.ts";
import { hostedName } from "../wires/gateway-tools.ts";
import { hiddenRoundsOf } from "./hidden-answers.ts";

/** What a call looked up and was answered; undefined if it is a call of something else. `lead`: leading system messages. */
export function lookupOf({ name, args }: ToolCallPart, result: string, lead: number): Lookup | undefined {
  if (name !== hostedName("recall")) return undefined;
  const { query, messages } = readInput(args) ?? {};
  const found = quotedNumbers(result).map((number) => number - 1 - lead);
  return { query: messages ?? query ?? "", found: found.filter((index) => index >= 0) };
}

/** What the model looked up before it gave a stored answer. */
export function lookupsBeside(
  given: StoredMessage["given"],
  dialect: Dialect<unknown>,
  lead: number,
): readonly Lookup[] {
  const parts = (hiddenRoundsOf(given, dialect) ?? []).flatMap((message) => dialect.read(message).parts);
  const open: ToolCallPart[] = [];
  const lookups: Lookup[] = [];
  for (const part of parts) {
    if (part.type === "tool-call") open.push(part);
    if (part.type !== "tool-result") continue;
    const at = open.findIndex(({ id, name }) => (part.byName ? name === part.name : id === part.id));
    const [call] = at < 0 ? [] : open.splice(at, 1);
    const lookup = call && lookupOf(call, part.text, lead);
    if (lookup) lookups.push(lookup);
  }
  return lookups;
}

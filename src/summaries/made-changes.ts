import type { Message, ToolCallPart, ToolResultPart } from "../core/types.ts";
import type { FileChange } from "./file-change.ts";
import { readCall } from "./read-call.ts";
import { isRefusal } from "./refused-edits.ts";

/** What calls did to files: edits that weren't refused, and what commands that were run moved and deleted. */
export interface MadeChanges {
  of(call: ToolCallPart): readonly FileChange[];
  /** Edits that changed nothing, because the tool or a person refused them. */
  readonly refused: ReadonlySet<ToolCallPart>;
}

/** How hosts say that a command was run, and failed. */
const EXIT_STATUS = /\bexit(?:ed)?(?:\s+with)?[ _]?(?:code|status)?["\s:=]*(\d+)/i;
/** Programs that say why a file wasn't moved or deleted. */
const NOT_DONE = /^(?:\S*: )?(?:line \d+: )?(?:mv|rm|unlink|git|fatal|error|cp)\b.{0,3}:/m;
/** Words of a host that didn't run a command at all. */
const NOT_RUN =
  /^(?:<tool_use_error>|The user (?:doesn't|does not) want|Permission to use|Error:|\[?Request interrupted)/i;
/** Programs say at the beginning of their output, or at its end, how they ended (characters). */
const LOOKED_AT = 2_000;

const NONE: readonly FileChange[] = [];

export function madeChanges(messages: readonly Message[]): MadeChanges {
  const calls = new Map<string, ToolCallPart>();
  const refused = new Set<ToolCallPart>();
  const byCommand = new Map<ToolCallPart, readonly FileChange[]>();
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type === "tool-call") calls.set(part.id, part);
      if (part.type !== "tool-result") continue;
      const call = calls.get(part.id);
      if (call === undefined) continue;
      const { kind, shell } = readCall(call);
      if (kind === "edit" && isRefusal(part)) refused.add(call);
      if (shell.length > 0) byCommand.set(call, carriedOut(shell, part));
    }
  return {
    refused,
    of(call) {
      if (refused.has(call)) return NONE;
      return byCommand.get(call) ?? readCall(call).changes;
    },
  };
}

/** What a command line did to files before it failed, if it did. */
function carriedOut(
  shell: ReturnType<typeof readCall>["shell"],
  { text, error }: ToolResultPart,
): readonly FileChange[] {
  const said = text.length <= 2 * LOOKED_AT ? text : `${text.slice(0, LOOKED_AT)}\n${text.slice(-LOOKED_AT)}`;
  if (NOT_RUN.test(said) || NOT_DONE.test(said)) return NONE;
  const status = Number(EXIT_STATUS.exec(said)?.[1] ?? 0);
  if (error === true && status === 0) return NONE;
  const isFailed = error === true || status !== 0;
  return shell.filter(({ waits }) => !isFailed || !waits).map(({ change }) => change);
}

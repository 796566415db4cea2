import type { Io } from "./io.ts";
import { type CommandLine, oneFile, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { checkReadable } from "./read-lines.ts";
import { STANDALONE_FLAGS, STANDALONE_NOTES, writeStandalone } from "./standalone-text.ts";

export const handoverLine: CommandLine = {
  name: "handover",
  summary: "Writes the start of a fresh session for a goal: what of an earlier conversation matters for it.",
  usage: "precis handover FILE --goal TEXT [flags]",
  flags: { goal: { value: "TEXT", help: "what the fresh session is for" }, ...STANDALONE_FLAGS },
  notes: [
    "Without --model it is made by code, and the same file and goal give the same text: what was asked for, rules, state, decisions, what was said about the goal, files, open points. With a model, the model tells the earlier session.",
    ...STANDALONE_NOTES,
  ],
  examples: [
    "precis handover session.jsonl --goal 'release version 2'",
    "precis handover session.jsonl --goal 'fix the flaky test' --cap 1500 > start.md",
  ],
};

export async function handoverCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const file = oneFile(handoverLine, flags);
  const goal = flags.value("goal")?.trim();
  if (!goal) {
    await checkReadable(file);
    throw new UsageError("What is the fresh session for? Say it with --goal TEXT.");
  }
  await writeStandalone(file, flags, io, (compactor, messages, input) =>
    compactor.handover(messages, { ...input, goal }),
  );
}

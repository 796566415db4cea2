import type { Io } from "./io.ts";
import { type CommandLine, oneFile, type ParsedFlags } from "./parse-flags.ts";
import { STANDALONE_FLAGS, STANDALONE_NOTES, writeStandalone } from "./standalone-text.ts";

export const summarizeLine: CommandLine = {
  name: "summarize",
  summary:
    "Writes a summary of a conversation that stands by itself: for a pull request, a colleague, a note.",
  usage: "precis summarize FILE [flags]",
  flags: { focus: { value: "TEXT", help: "what the summary should care about most" }, ...STANDALONE_FLAGS },
  notes: [
    "Without --model the summary is made by code: goal, rules, state, decisions and findings, files, open points, in statements of the user and of the assistant.",
    ...STANDALONE_NOTES,
  ],
  examples: [
    "precis summarize session.jsonl",
    "precis summarize session.jsonl --cap 800 --focus 'what a reviewer must know' > pull-request.md",
    "precis summarize session.jsonl --model qwen3:8b --base-url http://localhost:11434/v1",
  ],
};

export async function summarizeCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const file = oneFile(summarizeLine, flags);
  const focus = flags.value("focus");
  await writeStandalone(file, flags, io, (compactor, messages, input) =>
    compactor.summarize(messages, { ...input, ...(focus === undefined ? {} : { focus }) }),
  );
}

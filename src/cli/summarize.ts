import { createCompactor } from "../engine/create-compactor.ts";
import { mailboxDir } from "../models/mailbox.ts";
import { ENGINE_FLAGS, engineChoice } from "./engine-flags.ts";
import { formatCount } from "./format.ts";
import type { Io } from "./io.ts";
import { loadLog } from "./load-log.ts";
import { MAILBOX_MS, MODEL_FLAGS, modelOf } from "./model-flags.ts";
import { type CommandLine, oneFile, type ParsedFlags } from "./parse-flags.ts";
import { parseCount, parseTokens } from "./parse-tokens.ts";
import { createProgress } from "./progress.ts";
import { writeOutput } from "./write-output.ts";

/** A summary changes nothing about the conversation, so no budget limits it. */
const UNCAPPED = 1_000_000_000;

const { profile, dialect, pick } = ENGINE_FLAGS;

export const summarizeLine: CommandLine = {
  name: "summarize",
  summary:
    "Writes a summary of a conversation that stands by itself: for another agent, a pull request, a person.",
  usage: "precis summarize FILE [flags]",
  flags: {
    focus: { value: "TEXT", help: "what the summary should care about most" },
    cap: { value: "N", help: "tokens that it may have (2500 unless told)" },
    model: {
      value: "M",
      help: "the model that writes it, or mailbox:DIR; left out: no model, and nothing is sent anywhere",
    },
    ...MODEL_FLAGS,
    window: { value: "N", help: "the model's context size, where precis doesn't know it" },
    profile,
    dialect,
    pick,
    out: { value: "FILE", help: "write it there instead of to stdout" },
    json: { help: "print { text, tokens, report } as JSON" },
  },
  notes: [
    "Without --model the summary is made by code: the user's own words, the lines that matter most, files and sources.",
    "mailbox:DIR writes each request as a file into DIR and waits for the reply file: any program or person can be the model. README.txt in DIR says how.",
    "If the model fails, that is said on stderr and the summary is made by code.",
  ],
  examples: [
    "precis summarize session.jsonl",
    "precis summarize session.jsonl --cap 800 --focus 'what a reviewer must know' > pull-request.md",
    "precis summarize session.jsonl --model qwen3:8b --base-url http://localhost:11434/v1",
  ],
};

export async function summarizeCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const file = oneFile(summarizeLine, flags);
  const capText = flags.value("cap");
  const cap = capText === undefined ? undefined : parseTokens("cap", capText);
  const focus = flags.value("focus");
  const summarizer = modelOf(flags, io, "model");
  const pickText = flags.value("pick");
  const choice = engineChoice(flags);
  const progress = createProgress(io, { json: flags.has("json") });
  const { log, dialect } = await loadLog(file, io, {
    progress,
    ...(choice.dialect === undefined ? {} : { dialect: choice.dialect }),
    ...(pickText === undefined ? {} : { pick: parseCount("pick", pickText) }),
  });
  const compactor = createCompactor({
    dialect,
    profile: choice.profile,
    budget: UNCAPPED,
    ...(summarizer === undefined ? {} : { summarizer }),
    ...(mailboxDir(summarizer?.id ?? "") !== undefined ? { summary: { deadlineMs: MAILBOX_MS } } : {}),
  });
  const failures: string[] = [];
  compactor.on("failed", ({ error }) => failures.push(error.message));
  progress.update(summarizer === undefined ? "summarising" : `${summarizer.id} summarises`, 0, 0);
  const { text, tokens, report } = await compactor.summarize(log.messages, {
    ...(log.system === undefined ? {} : { system: log.system }),
    ...(focus === undefined ? {} : { focus }),
    ...(cap === undefined ? {} : { cap }),
    signal: io.signal,
  });
  await compactor.close();
  progress.clear();

  for (const warning of log.warnings) io.stderr.write(`precis: ${warning}\n`);
  for (const failure of failures)
    io.stderr.write(`${failure}\nprecis: the summary was made without the model.\n`);
  const json = flags.has("json");
  const output = json ? `${JSON.stringify({ text, tokens, report })}\n` : `${text}\n`;
  const out = flags.value("out");
  if (out === undefined) io.stdout.write(output);
  else await writeOutput("out", out, file, output);
  if (out !== undefined && !json) io.stderr.write(`precis: wrote ${out} (${formatCount(tokens)} tokens)\n`);
}

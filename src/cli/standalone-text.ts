import { defined } from "../core/defined.ts";
import { readMessages } from "../core/message-text.ts";
import { LEAST_CAP } from "../core/options.ts";
import type { Compactor, FitInput, Report } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import { mailboxDir } from "../models/mailbox.ts";
import { countedAs, ENGINE_FLAGS, engineChoice } from "./engine-flags.ts";
import { formatCount } from "./format.ts";
import type { Io } from "./io.ts";
import { loadLog } from "./load-log.ts";
import { MAILBOX_MS, MODEL_FLAGS, modelOf } from "./model-flags.ts";
import type { Flag, ParsedFlags } from "./parse-flags.ts";
import { parseTokens } from "./parse-tokens.ts";
import { createProgress } from "./progress.ts";
import { FileError } from "./read-lines.ts";
import { writeOutput } from "./write-output.ts";

/** More requests than this for one text are announced before they are made. */
const MANY_REQUESTS = 12;

const { profile, dialect, pick } = ENGINE_FLAGS;

/** Flags of commands that write a text about a conversation. */
export const STANDALONE_FLAGS = {
  cap: { value: "N", help: `tokens that it may have, at least ${LEAST_CAP} (default: 2500)` },
  model: {
    value: "M",
    help: "the model that writes it, or mailbox:DIR (default: no model, and nothing is sent anywhere)",
  },
  ...MODEL_FLAGS,
  window: { value: "N", help: "the model's context size, where precis doesn't know it" },
  profile,
  dialect,
  pick,
  out: { value: "FILE", help: "write it there instead of to stdout" },
  json: { help: "print { text, tokens, report } as JSON" },
} as const satisfies Record<string, Flag>;

export const STANDALONE_NOTES = [
  "mailbox:DIR writes each request as a file into DIR and waits for the reply file: any program or person can be the model. README.txt in DIR says how.",
  "If the model fails, that is said on stderr and the text is made by code.",
];

interface Standalone {
  readonly text: string;
  readonly tokens: number;
  readonly report: Report;
}

/** Reads FILE, has a text made of it and writes that where it is wanted. */
export async function writeStandalone(
  file: string,
  flags: ParsedFlags,
  io: Io,
  make: (
    compactor: Compactor<unknown>,
    messages: readonly unknown[],
    input: FitInput<unknown> & { readonly cap?: number },
  ) => Promise<Standalone>,
): Promise<void> {
  const cap = flags.parsed("cap", (flag, text) => parseTokens(flag, text, LEAST_CAP));
  const summarizer = modelOf(flags, io, "model");
  const choice = engineChoice(flags);
  const progress = createProgress(io, { json: flags.has("json") });
  const { log, dialect } = await loadLog(file, io, { ...choice, progress });
  if (readMessages(dialect, log.messages).every(({ role }) => role === "system"))
    throw new FileError(`${file}: nobody says anything in it, so there is nothing to write about.`);
  const compactor = createCompactor({
    dialect,
    profile: choice.profile,
    ...countedAs(log.model),
    ...defined({ summarizer }),
    ...(mailboxDir(summarizer?.id ?? "") !== undefined ? { summary: { deadlineMs: MAILBOX_MS } } : {}),
  });
  const failures: string[] = [];
  compactor.on("failed", ({ error }) => failures.push(error.message));
  // A summary that is tried again takes as many requests.
  const told = new Set<number>();
  compactor.on("progress", ({ done, total }) => {
    if (done !== 0 || total <= MANY_REQUESTS || told.has(total)) return;
    told.add(total);
    io.stderr.write(
      `precis: this takes ${total} requests, because the model can read only a part at a time. --window says how large its context really is.\n`,
    );
  });
  progress.update(summarizer === undefined ? "writing" : `${summarizer.id} writes`, 0, 0);
  const { text, tokens, report } = await make(compactor, log.messages, {
    ...defined({ system: log.system, cap }),
    signal: io.signal,
  });
  await compactor.close();
  progress.clear();

  for (const warning of log.warnings) io.stderr.write(`precis: ${warning}\n`);
  for (const failure of failures)
    io.stderr.write(`${failure}\nprecis: the text was made without the model.\n`);
  if (text.trim() === "")
    io.stderr.write(
      "precis: there is hardly anything to summarise: no goal, rule, decision or open point was found. A model (--model) may say more.\n",
    );
  const json = flags.has("json");
  const output = json ? `${JSON.stringify({ text, tokens, report })}\n` : `${text}\n`;
  const out = flags.value("out");
  if (out === undefined) io.stdout.write(output);
  else await writeOutput("out", out, file, output);
  if (out !== undefined && !json) io.stderr.write(`precis: wrote ${out} (${formatCount(tokens)} tokens)\n`);
}

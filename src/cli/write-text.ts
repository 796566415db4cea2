import { defined } from "../core/collections.ts";
import { readMessages } from "../core/message-text.ts";
import type { Compactor, FitInput, Report } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import { mailboxDir } from "../models/mailbox.ts";
import { profiles } from "../profiles/index.ts";
import { UsageError } from "./flags.ts";
import { formatCount } from "./format.ts";
import { MAILBOX_MS, maybeModel } from "./model.ts";
import { countedAs, openLog } from "./open-log.ts";
import { checkReadable, FileError } from "./read-lines.ts";
import type { RunOf } from "./run.ts";
import { writeOutput } from "./write-output.ts";

/** More requests than this for one text are announced before they are made. */
const MANY_REQUESTS = 12;

export async function summarize(run: RunOf<"summarize">): Promise<void> {
  const { focus } = run.options;
  await writeText(run, (compactor, messages, input) =>
    compactor.summarize(messages, { ...input, ...defined({ focus }) }),
  );
}

export async function handover(run: RunOf<"handover">): Promise<void> {
  const goal = run.options.goal?.trim();
  if (!goal) {
    await checkReadable(run.args[0]!);
    throw new UsageError("handover needs the goal of the new session: --goal TEXT.");
  }
  await writeText(run, (compactor, messages, input) => compactor.handover(messages, { ...input, goal }));
}

/** Reads FILE, has a text made of it and writes that where it is wanted. */
async function writeText(
  run: RunOf<"handover"> | RunOf<"summarize">,
  make: (
    compactor: Compactor<unknown>,
    messages: readonly unknown[],
    input: FitInput<unknown> & { readonly cap?: number },
  ) => Promise<{ readonly text: string; readonly tokens: number; readonly report: Report }>,
): Promise<void> {
  const { io, options, progress, note } = run;
  const file = run.args[0]!;
  const summarizer = maybeModel(options.model, "model", run);
  const { log, dialect } = await openLog(file, run);
  if (readMessages(dialect, log.messages).every(({ role }) => role === "system"))
    throw new FileError(`${file} has no messages, so there is nothing to write about.`);
  const compactor = createCompactor({
    dialect,
    profile: profiles[options.profile ?? "agent"],
    ...countedAs(log.model),
    ...defined({ summarizer }),
    ...(mailboxDir(summarizer?.id ?? "") !== undefined ? { summary: { deadlineMs: MAILBOX_MS } } : {}),
  });
  const failures: string[] = [];
  compactor.on("failed", ({ error }) => failures.push(error.message));
  // A summary that is tried again takes as many requests.
  const announced = new Set<number>();
  compactor.on("progress", ({ done, total }) => {
    if (done !== 0 || total <= MANY_REQUESTS || announced.has(total)) return;
    announced.add(total);
    note(
      `this takes ${total} requests, because the conversation doesn't fit the model's window at once. --window sets its real size.`,
    );
  });
  progress.update(summarizer === undefined ? "writing" : `${summarizer.id} writes`, 0, 0);
  const { text, tokens, report } = await make(compactor, log.messages, {
    ...defined({ system: log.system, cap: options.cap }),
    signal: io.signal,
  });
  await compactor.close();
  progress.clear();

  for (const failure of failures) {
    io.stderr.write(`${failure}\n`);
    note("the text was made without the model.");
  }
  if (text.trim() === "")
    note(
      "there is hardly anything to summarise: no goal, rule, decision or open point was found. A model (--model) may find more.",
    );
  if (options.out === undefined) return run.print({ text, tokens, report }, () => `${text}\n`);
  const output = options.json ? JSON.stringify({ text, tokens, report }) : text;
  await writeOutput("out", options.out, file, `${output}\n`);
  if (!options.json) note(`wrote ${options.out} (${formatCount(tokens)} tokens)`);
}

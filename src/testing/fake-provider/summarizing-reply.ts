import type { FakeReplier, FakeReply, FakeRequest } from "./types.ts";

/** What `summarizingReply` takes. */
export interface SummarizingOptions {
  /** Items that the summary carries, if they stand in the request: a model can't know what it wasn't shown. */
  readonly mustKeep?: readonly string[];
  /** Items that it forgets although it was shown them, to see what a host does about that. */
  readonly forgets?: readonly string[];
  /** Which requests ask for a summary. Default: the system prompt or the last message speaks of one. */
  readonly when?: (request: FakeRequest) => boolean;
  /** What it says to all others. Default `OK.` */
  readonly otherwise?: FakeReply | FakeReplier;
  /** Stands around the summary, for prompts that ask for tags. */
  readonly wrap?: (summary: string) => string;
}

/** Words of the summary that aren't must-keep items. */
const QUOTE_CHARS = 120;
const ITEM = /[\w./-]*\/[\w./-]+|\[\^?\d+(?:, ?\d+)*\]|\b[A-Z]+-\d+\b|\b\d[\d,.]{3,}\b/g;
const MAX_FOUND = 12;

/**
 * A reply that writes short, plausible summaries of what it was shown: who said what first and last, the must-keep items
 * and a few paths, ids and numbers. Same request, same summary.
 *
 * @example
 * const reply = summarizingReply({ mustKeep: ["src/app.ts"] });
 */
export function summarizingReply(options: SummarizingOptions = {}): FakeReplier {
  const { mustKeep = [], forgets = [], otherwise = "OK.", wrap = (summary: string) => summary } = options;
  const when = options.when ?? asksForSummary;
  return (request) => {
    if (!when(request)) return typeof otherwise === "function" ? otherwise(request) : otherwise;
    const shown = request.messages.map((message) => message.text).join("\n");
    const found = [...new Set(shown.match(ITEM) ?? [])].slice(0, MAX_FOUND);
    const items = [...new Set([...mustKeep.filter((item) => shown.includes(item)), ...found])];
    const kept = items.filter((item) => !forgets.some((forgotten) => item.includes(forgotten)));
    const spoken = request.messages.filter(
      (message) => message.role !== "system" && message.text.trim() !== "",
    );
    return wrap(
      [
        `The conversation began with: ${quote(spoken[0]?.text)}`,
        `Since then ${spoken.length} messages were exchanged, and the work moved forward step by step.`,
        ...(kept.length === 0 ? [] : [`Still needed: ${kept.join(", ")}.`]),
      ].join("\n"),
    );
  };
}

function asksForSummary(request: FakeRequest): boolean {
  const system = request.messages.find((message) => message.role === "system")?.text ?? "";
  return /summar|condense/i.test(request.lastUser) || /summar|condense/i.test(system);
}

function quote(text = ""): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length <= QUOTE_CHARS ? line : `${line.slice(0, QUOTE_CHARS)}…`}"`;
}

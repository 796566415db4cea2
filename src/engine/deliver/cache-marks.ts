import { systemMessage } from "../../core/render.ts";
import type { Dialect, Entry, FitInput } from "../../core/types.ts";
import { hasSystem } from "../read/conversation.ts";

/**
 * A view with a mark after the system prompt and one after the summary: what is the same in every request until the next
 * compaction. The host's own marks come first: where there is no room for ours, or one stands there already, none is
 * added. The same view gets the same marks.
 */
export function withCacheMarks<M>(
  view: { readonly messages: readonly M[]; readonly system: unknown },
  options: {
    readonly dialect: Dialect<M>;
    readonly entries: readonly Entry[];
  } & Pick<FitInput<M>, "tools" | "request">,
): { readonly messages: M[]; readonly system: unknown } {
  const { marks, rules } = options.dialect;
  const messages = [...view.messages];
  let { system } = view;
  if (!marks) return { messages, system };
  // The request itself may carry one, too: the provider then marks its end.
  let left = marks.most - marks.read([options.request, options.tools, system, messages]).length;
  // A mark with a long life may not stand behind one with a short life.
  const lifeBefore = (later: unknown) => (marks.read(later).includes("long") ? "long" : "short");
  const summary = summaryIndex(options.entries, rules.system === "apart");
  const behind = messages.slice(summary + 1);
  if (summary >= 0 && left > 0 && marks.read([messages[summary]]).length === 0) {
    messages[summary] = marks.add(messages[summary]!, lifeBefore(behind));
    left--;
  }
  if (left > 0 && hasSystem(system) && marks.read([system]).length === 0) {
    system = (marks.add(systemMessage<M>(system), lifeBefore(messages)) as { content: unknown }).content;
  }
  return { messages, system };
}

/** Where the summary stands among the messages; −1 if there is none, or if it went into the system prompt. */
function summaryIndex(entries: readonly Entry[], isSystemApart: boolean): number {
  const isMessage = (entry: Entry) =>
    entry.type !== "drop" &&
    !(entry.type === "insert" && (entry.merged || (isSystemApart && entry.message.role === "system")));
  let end = entries.findLastIndex((entry) => entry.type === "insert" && entry.covers.length > 0);
  // Quotations of a summary in the system prompt stand right behind what it covers.
  while (entries[end + 1]?.type === "insert") end++;
  const last = entries
    .slice(0, end + 1)
    .findLastIndex((entry) => entry.type === "insert" && isMessage(entry));
  return last < 0 ? last : entries.slice(0, last).filter(isMessage).length;
}

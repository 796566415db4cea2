import { applyEdits, EDIT_REASONS } from "../../core/edits.ts";
import type { Edit, Entry, Measure, Message } from "../../core/types.ts";
import { COVERED_WORDS, DROP_WORDS, type FateName, KEEP_WORDS, type KeepReason } from "../../core/words.ts";

/** Neighbouring messages with the same fate for the same reason. */
export interface FateRun {
  readonly from: number;
  /** The index after the last one. */
  readonly to: number;
  readonly fate: FateName;
  readonly why: string;
  readonly tokens: { readonly before: number; readonly after: number };
  /** How many messages of each role. */
  readonly roles: Readonly<Record<string, number>>;
  /** The start of what was said, when the run is one message. */
  readonly preview?: string;
}

const PREVIEW_CHARACTERS = 90;

/** What became of each message of one view: every message exactly once, neighbours with the same fate together. */
export function fatesByRun(options: {
  readonly entries: readonly Entry[];
  readonly messages: readonly Message[];
  /** Tokens of each message. */
  readonly tokens: readonly number[];
  readonly measure: Measure;
}): readonly FateRun[] {
  const { entries, messages, tokens, measure } = options;
  const fates = fatesOf(entries, messages);
  const runs: FateRun[] = [];
  for (const [index, message] of messages.entries()) {
    const { fate, why, edits } = fates[index]!;
    const before = tokens[index] ?? 0;
    const after =
      fate === "kept" ? before : fate === "shortened" ? measure.message(applyEdits(message, edits)) : 0;
    const last = runs.at(-1);
    if (last !== undefined && last.fate === fate && last.why === why) {
      const { preview: _, ...rest } = last;
      runs[runs.length - 1] = {
        ...rest,
        to: index + 1,
        tokens: { before: last.tokens.before + before, after: last.tokens.after + after },
        roles: { ...last.roles, [message.role]: (last.roles[message.role] ?? 0) + 1 },
      };
    } else {
      runs.push({
        from: index,
        to: index + 1,
        fate,
        why,
        tokens: { before, after },
        roles: { [message.role]: 1 },
        preview: previewOf(message),
      });
    }
  }
  return runs;
}

interface MessageFate {
  readonly fate: FateName;
  readonly why: string;
  readonly edits: readonly Edit[];
}

function fatesOf(entries: readonly Entry[], messages: readonly Message[]): readonly MessageFate[] {
  const covered: MessageFate = { fate: "covered", why: COVERED_WORDS, edits: [] };
  const fates: MessageFate[] = messages.map(() => covered);
  for (const entry of entries) {
    if (entry.type === "keep") fates[entry.index] = { fate: "kept", why: "", edits: [] };
    else if (entry.type === "drop")
      fates[entry.index] = { fate: "dropped", why: DROP_WORDS[entry.reason], edits: [] };
    else if (entry.type === "edit") {
      const reasons = [...new Set(entry.edits.map((edit) => EDIT_REASONS[edit.why]))];
      fates[entry.index] = { fate: "shortened", why: reasons.join("; "), edits: entry.edits };
    }
  }
  const hidden = fates.findLastIndex(({ fate }) => fate === "covered" || fate === "dropped");
  const lastUser = messages.findLastIndex(
    ({ role, parts }) => role === "user" && parts.some((part) => part.type !== "tool-result"),
  );
  return fates.map((fate, index) =>
    fate.fate === "kept" ? { ...fate, why: KEEP_WORDS[whyKept(index, messages, hidden, lastUser)] } : fate,
  );
}

/** The entries don't say why a message was kept; where it stands does. */
function whyKept(index: number, messages: readonly Message[], hidden: number, lastUser: number): KeepReason {
  if (messages[index]?.role === "system") return "head";
  if (hidden < 0) return "kept";
  if (index === lastUser) return "last-user-message";
  return index > hidden ? "tail" : "kept";
}

export function previewOf(message: Message): string {
  const text = message.parts
    .map((part) => {
      switch (part.type) {
        case "text":
        case "tool-result":
          return part.text;
        case "tool-call":
          return `${part.name}(${part.args})`;
        case "reasoning":
          return "";
        default:
          return `[${part.type}]`;
      }
    })
    .filter((part) => part !== "")
    .join(" · ")
    .slice(0, PREVIEW_CHARACTERS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return text.length > PREVIEW_CHARACTERS ? `${text.slice(0, PREVIEW_CHARACTERS)}…` : text;
}

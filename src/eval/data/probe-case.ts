import type { ChatMessage, ProbeCase } from "../types.ts";

interface ProbeRecord {
  readonly id: string;
  readonly dataset: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly probes: readonly {
    readonly q: string;
    readonly a: string;
    readonly type: string;
    readonly evidence: readonly number[];
  }[];
}

export function isProbeRecord(value: unknown): value is ProbeRecord {
  return typeof value === "object" && value !== null && "probes" in value && "messages" in value;
}

/** Two-speaker sets use their own names for the roles. */
function roleOf(role: string): ChatMessage["role"] {
  return role === "assistant" || role === "system" ? role : "user";
}

export function probeCase(record: ProbeRecord): ProbeCase & { readonly set: string } {
  return {
    type: "probes",
    set: record.dataset,
    session: record.id,
    messages: record.messages.map(({ role, content }) => ({ role: roleOf(role), content })),
    from: 0,
    to: record.messages.length,
    probes: record.probes.map(({ q, a, type, evidence }) => ({
      question: q,
      answer: a,
      kind: type,
      evidence,
    })),
  };
}

import type { CitationCase } from "../types.ts";
import { chatMessage } from "./agent-session.ts";

interface CitationRecord {
  readonly id: string;
  readonly messages: readonly Parameters<typeof chatMessage>[0][];
  readonly documents: Readonly<Record<string, string>>;
  readonly citations: readonly { readonly n: number }[];
}

export function isCitationRecord(value: unknown): value is CitationRecord {
  return typeof value === "object" && value !== null && "documents" in value && "citations" in value;
}

export function citationCase(record: CitationRecord): CitationCase {
  return {
    type: "citations",
    session: record.id,
    messages: record.messages.map(chatMessage),
    from: 0,
    to: record.messages.length,
    documents: new Map(Object.entries(record.documents).map(([n, id]) => [Number(n), id])),
    cited: [...new Set(record.citations.map((citation) => citation.n))],
  };
}

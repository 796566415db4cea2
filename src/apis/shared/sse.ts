/** One server-sent event. */
export interface SseEvent {
  /** The `event:` field; the empty text without one. */
  readonly event: string;
  readonly data: string;
}

/** The events of a whole stream. A last event without its blank line is one too: some servers forget it. */
export function parseSse(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  for (const part of text.replace(/\r\n?/g, "\n").split(/\n\n+/)) {
    let event = "";
    const data: string[] = [];
    for (const line of part.split("\n")) {
      const [, field, value] = /^(event|data):[ ]?(.*)$/.exec(line) ?? [];
      if (field === "event") event = value ?? "";
      else if (field === "data") data.push(value ?? "");
    }
    if (data.length > 0) events.push({ event, data: data.join("\n") });
  }
  return events;
}

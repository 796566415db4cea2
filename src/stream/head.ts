/** System prompt and task knowledge: word for word in every system message, once each. */
export interface Head {
  /** Learns from the first turns what the options left out. */
  note(text: string): void;
  /** `system ⊕ summary ⊕ knowledge` with a blank between; what is missing is left out. */
  text(summary?: string): string;
  clear(): void;
}

export interface HeadOptions {
  readonly systemPrompt?: string | undefined;
  readonly knowledge?: string | undefined;
  /** What a system message with the task's knowledge contains. */
  readonly marker: string;
}

export function createHead(options: HeadOptions): Head {
  let system: string | undefined;
  let knowledge: string | undefined;
  const clear = (): void => {
    system = options.systemPrompt;
    knowledge = options.knowledge;
  };
  clear();
  return {
    note(text) {
      const at = text.indexOf(options.marker);
      if (at >= 0) knowledge ??= text.slice(at).trim();
      // Knowledge inside the first system message isn't part of the prompt: it would be said twice.
      const before = (at < 0 ? text : text.slice(0, at)).trim();
      if (before !== "") system ??= before;
    },
    text: (summary) =>
      [system, summary, knowledge]
        .map((part) => part?.trim() ?? "")
        .filter((part) => part !== "")
        .join(" "),
    clear,
  };
}

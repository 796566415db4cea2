import type { Model, ModelReply, ModelRequest } from "../../src/core/types.ts";

/** A model in this process that answers when it is told to, and heeds nothing else. */
export interface GatedModel extends Model {
  readonly requests: ModelRequest[];
  /** Answers every open request, and from now on at once. */
  release(): void;
  /** Fails every open request, and from now on at once. */
  fail(error?: Error): void;
  /** Keeps the requests that come from now on waiting. */
  hold(): void;
}

/** Large enough that nothing is summarised in pieces. */
const WINDOW = 200_000;
const WORDS = "Earlier the user asked about several modules and the assistant explained each of them in turn";

/** What a summariser might say about a request: what must be kept, in a sentence. */
export function plausible(request: ModelRequest): string {
  const text = request.messages.map((message) => message.text).join("\n");
  const kept = /<must-keep>([\s\S]*?)<\/must-keep>/.exec(text)?.[1]?.trim().split("\n") ?? [];
  return `<conversation-summary>${WORDS}: ${kept.join(", ") || "nothing by name"}.</conversation-summary>`;
}

export function gatedModel(
  more: Partial<Pick<Model, "id" | "window" | "continues">> & {
    readonly state?: "open" | "held" | "failing";
    readonly reply?: (request: ModelRequest) => string | ModelReply;
  } = {},
): GatedModel {
  let state: "open" | "held" | "failing" | Error = more.state ?? "open";
  let waiting: (() => void)[] = [];
  const requests: ModelRequest[] = [];
  const flush = () => {
    const all = waiting;
    waiting = [];
    for (const resume of all) resume();
  };
  return {
    id: more.id ?? "gated",
    window: more.window ?? WINDOW,
    ...(more.continues !== undefined && { continues: more.continues }),
    requests,
    async complete(request) {
      requests.push(request);
      while (state === "held") await new Promise<void>((resume) => waiting.push(resume));
      if (state !== "open") throw state instanceof Error ? state : new Error("The model is down.");
      const said = (more.reply ?? plausible)(request);
      return typeof said === "string"
        ? { text: said, stop: "end", usage: { input: 1_000, output: 50 } }
        : said;
    },
    release() {
      state = "open";
      flush();
    },
    fail(error) {
      state = error ?? "failing";
      flush();
    },
    hold() {
      state = "held";
    },
  };
}

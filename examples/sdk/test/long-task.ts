import { onTestFinished } from "vitest";
import {
  type FakeProvider,
  type FakeReplier,
  startFakeProvider,
  summarizingReply,
} from "../../../src/testing/fake-provider/index.ts";
import { exactCounter } from "../../../src/tokens/index.ts";

/** The window of the model, which the fake provider enforces as a real one does. */
export const WINDOW = 8_000;
/** Files that the agent reads, one a step. */
export const STEPS = 24;

/** The system prompt: about 2,000 tokens, as agents have them. */
export const SYSTEM = [
  "You are a careful engineer who works in a large repository.",
  ...Array.from(
    { length: 75 },
    (_, i) =>
      `Rule ${i + 1}: before you change part ${i + 1}, read its tests and say in one sentence why it must change.`,
  ),
].join("\n");

/** What the user asks for: said once, at the beginning. */
export const REQUEST =
  "Read all parts of src/parts and tell me which one opens port 4180. Never touch generated files. The ticket is WP-2207.";

/** What a good answer needs at the end, and where it was said. */
export const FACTS: Readonly<Record<string, string>> = {
  "the user's rule": "Never touch generated files",
  "the ticket": "WP-2207",
  "the find of step 3": "port 4180 is opened by part-3",
};

/** Parameters of the tool, with a description as long as those of real tools: the tool takes about 700 tokens. */
export const READ_TOOL = {
  name: "read",
  description: [
    "Reads a file of the repository.",
    ...Array.from(
      { length: 30 },
      (_, i) => `Case ${i + 1}: a path that ends in .v${i} is read from version ${i} of it.`,
    ),
  ].join(" "),
  parameters: {
    type: "object" as const,
    properties: { path: { type: "string" as const, description: "The path of the file." } },
    required: ["path"],
    additionalProperties: false,
  },
};

/** What the tool answers: about 500 tokens a file. */
export function readFile(path: string): string {
  const number = /\d+/.exec(path)?.[0] ?? "0";
  const lines = Array.from(
    { length: 30 },
    (_, i) => `export const value${number}x${i} = compute("${number}-${i}", ${i * 37});`,
  );
  if (number === "3") lines.splice(10, 0, "// Decision: port 4180 is opened by part-3, nobody else may.");
  return lines.join("\n");
}

/** A model that reads file after file and then answers, and that writes a summary where no tool is offered. */
function reader(steps: number): FakeReplier {
  let step = 0;
  return summarizingReply({
    when: ({ tools }) => tools.length === 0,
    otherwise: () => {
      step++;
      return step <= steps
        ? {
            text: `Reading part ${step}.`,
            calls: [{ name: "read", args: { path: `src/parts/part-${step}.ts` } }],
          }
        : "All parts are read.";
    },
  });
}

/** A provider that leads an agent through the task and ends with the test. */
export async function startTask(
  options: {
    readonly window?: number;
    readonly steps?: number;
    readonly reply?: FakeReplier;
    /** The provider's count ÷ the tokenizer's. */
    readonly factor?: number;
  } = {},
): Promise<FakeProvider> {
  const { window = WINDOW, steps = STEPS, reply = reader(steps), factor = 1 } = options;
  const counter = await exactCounter("o200k_base");
  const provider = await startFakeProvider({
    window,
    reply,
    count: (text) => Math.ceil(counter.count(text) * factor),
  });
  onTestFinished(() => provider.close());
  return provider;
}

/** What became of a task, by what reached the provider. */
export interface Result {
  readonly requests: number;
  readonly largest: number;
  /** Requests that the provider refused. */
  readonly refused: number;
  /** Facts that the last request doesn't hold any more. */
  readonly lost: readonly string[];
}

/** Reads a result off the provider's records. */
export function resultOf(provider: FakeProvider): Result {
  const last = provider.requests.findLast(({ tools }) => tools.length > 0)?.raw ?? "";
  return {
    requests: provider.requests.length,
    largest: Math.max(...provider.requests.map(({ tokens }) => tokens.input)),
    refused: provider.requests.filter(({ status }) => status >= 400).length,
    lost: Object.entries(FACTS).flatMap(([name, fact]) => (last.includes(fact) ? [] : [name])),
  };
}

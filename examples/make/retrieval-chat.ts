/** Turns the script of the retrieval chat into the body of an Anthropic Messages request. */

import { createHash } from "node:crypto";
import { readScripts, type Step } from "./script.ts";

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly content: string };

interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: string | Block[];
}

interface Passage {
  readonly id: string;
  readonly title: string;
  readonly date: string;
  readonly text: string;
}

const ID_LENGTH = 24;
/** Passages per search. */
const RESULTS = 6;
const MODEL = "claude-sonnet-4-5";
const MAX_TOKENS = 1_024;

const SYSTEM = `You answer questions of the board of Hollin Vale Solar, a co-operative with three solar plants in Ardmere, from its own documents.

- Search before you answer. What isn't in the documents you don't know; say so.
- Each passage has a number n that stays the same for the whole conversation. Cite it as [n] right after what it supports, several as [n, m].
- Use calculate for every sum that matters.
- What you infer yourself, mark as your own reckoning or opinion.
- In danger to people, give the instruction first and search afterwards.`;

const TOOLS = [
  {
    name: "search_documents",
    description:
      "Searches the co-operative's documents. Returns passages with their number n, title, date and text.",
    input_schema: {
      type: "object",
      properties: { query: { type: "string", description: "Keywords or a question" } },
      required: ["query"],
    },
  },
  {
    name: "calculate",
    description: "Reckons an arithmetic expression.",
    input_schema: {
      type: "object",
      properties: { expression: { type: "string" } },
      required: ["expression"],
    },
  },
];

const words = (text: string) => new Set(text.toLowerCase().match(/\p{L}{4,}/gu));

/** The passages that the script names, then the nearest others by common words: a search is never only right. */
function fill(ids: readonly string[], query: string, library: ReadonlyMap<string, Passage>): Passage[] {
  const named = ids.map((id) => {
    const passage = library.get(id);
    if (!passage) throw new Error(`no passage ${id}`);
    return passage;
  });
  const asked = words(query);
  const others = [...library.values()]
    .filter((passage) => !ids.includes(passage.id))
    .map((passage) => ({
      passage,
      score: asked.intersection(words(`${passage.title} ${passage.text}`)).size,
    }))
    .sort((a, b) => b.score - a.score)
    .map(({ passage }) => passage);
  return [...named, ...others].slice(0, RESULTS);
}

export function retrievalChat(folder: string) {
  const library = new Map<string, Passage>();
  /** Passages get their number when they are first found. */
  const numbers = new Map<string, number>();
  const messages: WireMessage[] = [];
  let agent: { text: string; calls: Block[]; results: Block[] } | undefined;
  let calls = 0;

  const cite = (text: string) =>
    text.replace(/\[\[([^\]]+)\]\]/g, (_, ids: string) => {
      const cited = ids.split(", ").map((id) => {
        const n = numbers.get(id);
        if (n === undefined) throw new Error(`${id} is cited before it was found`);
        return n;
      });
      return `[${cited.join(", ")}]`;
    });
  const flush = () => {
    if (!agent) return;
    const text: Block[] = agent.text === "" ? [] : [{ type: "text", text: agent.text }];
    messages.push({ role: "assistant", content: [...text, ...agent.calls] });
    if (agent.results.length > 0) messages.push({ role: "user", content: agent.results });
    agent = undefined;
  };
  const tool = (step: Step, name: string, input: unknown, result: unknown) => {
    if (!agent) throw new Error(`${step.at}: a tool call outside of an agent's message`);
    calls += 1;
    const digest = createHash("sha256").update(`hollin ${calls}`).digest("base64url");
    const id = `toolu_${digest.replace(/[-_]/g, "x").slice(0, ID_LENGTH)}`;
    agent.calls.push({ type: "tool_use", id, name, input });
    agent.results.push({ type: "tool_result", tool_use_id: id, content: JSON.stringify(result) });
  };

  const play = (step: Step) => {
    switch (step.name) {
      case "passage": {
        const [id = "", title = "", date = ""] = step.rest.split(" | ");
        library.set(id, { id, title, date, text: step.body });
        return;
      }
      case "user":
        flush();
        messages.push({ role: "user", content: cite(step.body) });
        return;
      case "agent":
        flush();
        agent = { text: cite(step.body), calls: [], results: [] };
        return;
      case "search": {
        const [query = "", ids = ""] = step.rest.split(" :: ");
        const wanted = ids.split(" ").filter(Boolean);
        const found = wanted.length === 0 ? [] : fill(wanted, query, library);
        const results = found.map((passage) => {
          if (!numbers.has(passage.id)) numbers.set(passage.id, numbers.size + 1);
          return { n: numbers.get(passage.id), ...passage };
        });
        return tool(step, "search_documents", { query }, { results });
      }
      case "calc":
        return tool(step, "calculate", { expression: step.rest }, { result: Number(step.body) });
      default:
        throw new Error(`unknown step ${step.name}`);
    }
  };

  for (const step of readScripts(folder)) {
    try {
      play(step);
    } catch (cause) {
      throw new Error(`${step.at}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }
  flush();
  return { model: MODEL, max_tokens: MAX_TOKENS, system: SYSTEM, tools: TOOLS, messages };
}

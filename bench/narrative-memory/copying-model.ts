import type { Model } from "../../src/core/types.ts";
import { exactCounter } from "../../src/tokens/index.ts";
import { FACT, type Rank, SECTIONS_BY_RANK } from "./facts.ts";

const { count } = await exactCounter("o200k_base");
const TARGET = /at most ([\d,]+) tokens \(about/;
/** Share of what it may write that a model uses. */
const FULL = 0.92;

/** A model that copies the most important facts that it is shown, and spoils a share of the lines that it rewrites. */
export function copyingModel(spoils: number): Model & { readonly calls: { readonly name: string }[] } {
  const calls: { readonly name: string }[] = [];
  let seed = 1;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  return {
    id: "copying-model",
    window: 200_000,
    calls,
    async complete({ name, messages }) {
      calls.push({ name });
      const prompt = messages[0]!.text;
      const target = Number(TARGET.exec(prompt)?.[1]?.replace(",", "") ?? 200) * FULL;
      const transcript = /<transcript>([\s\S]*)<\/transcript>/.exec(prompt)?.[1] ?? "";
      const records = [
        ...prompt.matchAll(
          /<(previous-summary|conversation-summary covers[^>]*)>([\s\S]*?)<\/(?:previous|conversation)-summary>/g,
        ),
      ]
        .map(([, , text]) => text)
        .join("\n");
      const facts = [...read(records, true), ...read(transcript, false)];
      const chosen = choose(facts, target).map((fact) =>
        fact.rewritten && random() < spoils ? { ...fact, id: `${fact.id}?` } : fact,
      );
      const text = ([1, 2, 3, 4] as const)
        .map((rank) => chosen.filter((fact) => fact.rank === rank))
        .filter((section) => section.length > 0)
        .map((section) => `## ${SECTIONS_BY_RANK[section[0]!.rank]}\n${section.map(line).join("\n")}`)
        .join("\n");
      return {
        text: `<conversation-summary>\n${text}\n</conversation-summary>`,
        stop: "end",
        usage: { input: count(prompt), output: count(text) },
      };
    },
  };
}

interface Shown {
  readonly id: string;
  readonly rank: Rank;
  readonly text: string;
  readonly rewritten: boolean;
}

function read(text: string, rewritten: boolean): Shown[] {
  return [...text.matchAll(FACT)].map(([, id, rank, said]) => ({
    id: id!,
    rank: Number(rank) as Rank,
    text: said!,
    rewritten,
  }));
}

/** By rank, the newest first within a rank; in the order of the conversation. */
function choose(facts: readonly Shown[], target: number): Shown[] {
  const unique = [...new Map(facts.map((fact) => [fact.id, fact])).values()];
  const order = unique
    .map((fact, at) => ({ fact, at }))
    .sort((a, b) => a.fact.rank - b.fact.rank || b.at - a.at);
  const kept: typeof order = [];
  let tokens = 0;
  for (const one of order) {
    tokens += count(`${line(one.fact)}\n`);
    if (tokens > target) break;
    kept.push(one);
  }
  return kept.sort((a, b) => a.at - b.at).map(({ fact }) => fact);
}

const line = ({ id, rank, text }: Shown): string => `- F${id}r${rank}: ${text}.`;

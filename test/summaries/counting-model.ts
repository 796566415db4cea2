import type { Model, ModelRequest } from "../../src/core/types.ts";
import { exactCounter } from "../../src/tokens/index.ts";

const { count } = await exactCounter("o200k_base");

/** How a summariser behaves. */
export type Habit =
  /** Carries what it is told to carry. */
  | "heedful"
  /** Leaves out half of what it is told to carry. */
  | "forgetful";

/** A model that writes summaries by a simple rule. */
interface CountingModel extends Model {
  /** The names of what it was asked for. */
  readonly calls: string[];
  /** While it is held, nothing is answered. */
  hold(): void;
  release(): void;
}

const MUST_KEEP = /<must-keep>([\s\S]*?)<\/must-keep>/;
const TARGET = /at most ([\d,]+) tokens/;
/** Share of what it may write that a model uses. */
const FULL = 0.9;

export function countingModel(habit: Habit, window: number): CountingModel {
  const calls: CountingModel["calls"] = [];
  let gate: PromiseWithResolvers<void> | undefined;
  return {
    id: "any-model",
    window,
    continues: "openai-chat",
    calls,
    hold() {
      gate ??= Promise.withResolvers<void>();
    },
    release() {
      gate?.resolve();
      gate = undefined;
    },
    async complete(request) {
      const text = answer(request, habit);
      const input = count(
        `${JSON.stringify(request.continues ?? "")}${request.system ?? ""}${request.messages[0]!.text}`,
      );
      const output = count(text);
      calls.push(request.name);
      await gate?.promise;
      return { text, stop: "end", usage: { input, output } };
    },
  };
}

/** So many words of a plain report, each time others, and the items of the list. */
function answer({ messages }: ModelRequest, habit: Habit): string {
  const prompt = messages[0]!.text;
  const target = Number(TARGET.exec(prompt)?.[1]?.replace(",", "") ?? 200);
  const items = (MUST_KEEP.exec(prompt)?.[1]?.trim() ?? "").split("\n").filter((item) => item !== "");
  const kept = habit === "forgetful" ? items.filter((_, at) => at % 2 === 0) : items;
  const most = target * FULL;
  const lines = kept.length > 0 ? [`Needed: ${kept.join(", ")}.`] : [];
  let seed = prompt.length;
  while (count(lines.join("\n")) < most - LINE_TOKENS) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    lines.push(
      `Step ${seed % 9_973} read a part, found value ${seed % 7_919} in it, and went on to the next.`,
    );
  }
  return `<conversation-summary>\n${lines.join("\n")}\n</conversation-summary>`;
}
const LINE_TOKENS = 24;

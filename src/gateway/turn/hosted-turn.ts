import type { HostingRefusal, IsHosted } from "../../apis/shared/hosting.ts";
import type { HostedToolName } from "../../config/gateway-schema.ts";
import type { ToolCallPart, Usage } from "../../core/types.ts";
import { hostedName } from "../wires/hosted-tools.ts";
import type { Outgoing } from "./turn.ts";

/** Why the model wasn't offered tools of precis's own, though they were asked for. */
export type ToolsOff = HostingRefusal | "no-store" | "unsupported-api" | "not-seen" | "no-other-tool";

/** What the rounds of one request took together, the last one included (tokens). */
export interface RoundsUsed {
  readonly rounds: number;
  readonly input: number;
  readonly output: number;
}

type OnAnswered = (call: ToolCallPart, result: string) => void;

/** One turn whose model may call tools of precis's own, while it is being answered. */
export class HostedTurn {
  readonly tools: readonly HostedToolName[];
  readonly isHosted: IsHosted;
  readonly onAnswered: OnAnswered;
  /** All that the model said and was answered since whoever asks said something. */
  readonly real: unknown[] = [];
  /** Whoever asks isn't shown all of it. */
  hasHidden = false;
  /** What was sent last. */
  outgoing: Outgoing | undefined;
  #used: RoundsUsed = { rounds: 0, input: 0, output: 0 };

  constructor(tools: readonly HostedToolName[], onAnswered: OnAnswered = () => {}) {
    this.tools = tools;
    this.onAnswered = onAnswered;
    const names = new Set<unknown>(tools.map(hostedName));
    this.isHosted = (name) => names.has(name);
  }

  get used(): RoundsUsed {
    return this.#used;
  }

  addRound(usage: Usage | undefined): void {
    const { rounds, input, output } = this.#used;
    this.#used = {
      rounds: rounds + 1,
      input: input + (usage?.input ?? 0),
      output: output + (usage?.output ?? 0),
    };
  }
}

import type { HostedToolName } from "../../config/gateway-schema.ts";
import type { Usage } from "../../core/types.ts";
import type { Outgoing } from "../turn/turn.ts";
import type { HostingRefusal, IsHosted } from "../wires/hosting.ts";

/** Why the model wasn't offered tools of precis's own, though they were asked for. */
export type ToolsOff = HostingRefusal | "no-store" | "unsupported-api" | "not-seen" | "no-other-tool";

/** How tools are called in requests. Names of clients' own tools don't begin so. */
const PREFIX = "precis_";

export function hostedName(tool: HostedToolName): string {
  return `${PREFIX}${tool}`;
}

/** What the rounds of one request took together, the last one included (tokens). */
export interface RoundsUsed {
  readonly rounds: number;
  readonly input: number;
  readonly output: number;
}

/** One request whose model may call tools of precis's own, while it is being answered. */
export class HostedTurn {
  readonly tools: readonly HostedToolName[];
  readonly isHosted: IsHosted;
  /** All that the model said and was answered since the client's last message. */
  readonly real: unknown[] = [];
  /** The client isn't shown all of it. */
  hasHidden = false;
  /** What was sent last. */
  outgoing: Outgoing | undefined;
  #used: RoundsUsed = { rounds: 0, input: 0, output: 0 };

  constructor(tools: readonly HostedToolName[]) {
    this.tools = tools;
    const names = new Set<unknown>(tools.map(hostedName));
    this.isHosted = (name) => names.has(name);
  }

  get used(): RoundsUsed {
    return this.#used;
  }

  /** A round was answered. */
  addRound(usage: Usage | undefined): void {
    const { rounds, input, output } = this.#used;
    this.#used = {
      rounds: rounds + 1,
      input: input + (usage?.input ?? 0),
      output: output + (usage?.output ?? 0),
    };
  }
}

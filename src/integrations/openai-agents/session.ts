import type { IntegrationOptions } from "../shared/options.ts";
import type { AgentItem } from "./dialect.ts";
import { type Beside, createFitter } from "./fitter.ts";

/** A session of the Agents SDK. */
export interface AgentSession<I> {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<I[]>;
  addItems(items: I[]): Promise<void>;
  popItem(): Promise<I | undefined>;
  clearSession(): Promise<void>;
}

/** What `precisSession` takes: the options of every integration, and what else a request holds. */
export interface PrecisSessionOptions extends IntegrationOptions<AgentItem>, Beside {}

/** A session that stores everything and shows a view. */
export interface PrecisSession<I> extends AgentSession<I> {
  /** Everything that was ever said, word for word. */
  getTranscript(): Promise<I[]>;
}

/**
 * A session around another one: that one stores every item, and a run begins with a view of them that fits. Inside of a run use
 * `precisInputFilter` beside it, or alone.
 */
export function precisSession<I extends AgentItem>(
  session: AgentSession<I>,
  options: PrecisSessionOptions = {},
): PrecisSession<I> {
  const { model, instructions, tools, ...rest } = options;
  const fitter = createFitter(rest);
  return {
    getSessionId: () => session.getSessionId(),
    // Who asks for some items wants those, not a view.
    getItems: async (limit) =>
      limit === undefined
        ? (await fitter(await session.getItems(), { model, instructions, tools })).messages
        : session.getItems(limit),
    getTranscript: () => session.getItems(),
    addItems: (items) => session.addItems(items),
    popItem: () => session.popItem(),
    clearSession: () => session.clearSession(),
  };
}

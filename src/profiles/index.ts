import { agent } from "./agent.ts";
import { desktop } from "./desktop.ts";
import { editor } from "./editor.ts";
import { rag } from "./rag.ts";
import { stream } from "./stream.ts";

/**
 * The five profiles: named sets of options for five kinds of host.
 *
 * @example
 * ```ts
 * import { createCompactor, profiles } from "precis";
 * import { anthropicMessages } from "precis/dialects";
 *
 * export const compactor = createCompactor({
 *   dialect: anthropicMessages,
 *   window: 200_000,
 *   profile: profiles.rag,
 *   tail: { turns: 3 },
 * });
 * ```
 */
export const profiles = { agent, desktop, editor, rag, stream };

/** The names of the profiles, in the order in which help texts list them. */
export const PROFILE_NAMES = Object.keys(profiles) as (keyof typeof profiles)[];

/**
 * The SDKs of OpenAI and Anthropic: `withPrecis(client)` makes every request of a client fit its window. `precisFetch` does the same for
 * anything that takes a `fetch`.
 *
 * @module
 */

export type { IntegrationOptions } from "../shared/options.ts";
export { type ClientOptions, type FetchLike, precisFetch, type SdkClient, withPrecis } from "./fetch.ts";

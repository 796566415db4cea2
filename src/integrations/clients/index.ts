/**
 * The SDKs of OpenAI and Anthropic: `withPrecis(client)` makes every request of a client fit its window. `precisFetch` does the same for
 * anything that takes a `fetch`.
 *
 * @module
 */

export type { IntegrationOptions } from "../shared/options.ts";
export { type ClientOptions, type FetchLike, precisFetch } from "./fetch.ts";
export { type SdkClient, withPrecis } from "./with-precis.ts";

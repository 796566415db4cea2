import { ConfigError } from "../../core/errors.ts";
import { type ClientOptions, type FetchLike, precisFetch } from "./fetch.ts";

/** A client of OpenAI's or Anthropic's SDK, as far as it is needed here. */
export interface SdkClient {
  // The SDKs' options have no common type; `fetch` is in all of them.
  withOptions(options: never): unknown;
}

/**
 * The same client of OpenAI's or Anthropic's SDK, whose requests all fit the window: `create`, `stream`, `parse`, tool runners,
 * all of them. The client that is handed in stays as it is.
 *
 * @example
 * const given = { withOptions: (options: object) => ({ ...given, options }) };
 * const client = withPrecis(given, { window: 32_000 });
 */
export function withPrecis<C extends SdkClient>(client: C, options: ClientOptions = {}): C {
  if (typeof client?.withOptions !== "function") {
    throw new ConfigError({
      option: "client",
      message: "it has no method `withOptions`.",
      fix: "Pass a client of the packages `openai` (version 5 or later) or `@anthropic-ai/sdk` (0.50 or later), or give its `fetch` option a `precisFetch()`.",
    });
  }
  // Both SDKs keep it on the client under this name.
  const own = (client as { readonly fetch?: FetchLike }).fetch;
  const fetch = precisFetch({ ...(own && { fetch: (...args) => own(...args) }), ...options });
  return client.withOptions({ fetch } as never) as C;
}

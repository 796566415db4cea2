import { type ApiClient, ApiFailure, createApiClient } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";

export { type ApiClient as Api, ApiFailure } from "../../../src/gateway/api.ts";

const BROKEN_OFF = { message: strings.errors.broken, fix: strings.errors.brokenFix };

/** The server that the page came from. */
export const createApi = (fetcher: typeof fetch): ApiClient =>
  createApiClient({
    fetch: fetcher,
    unreachable: { message: strings.errors.offline, fix: strings.errors.offlineFix },
    brokenOff: BROKEN_OFF,
  });

/** The connection was lost in the middle of a stream. */
export const brokenOff = (): ApiFailure => new ApiFailure({ code: "offline", ...BROKEN_OFF });

/** What went wrong, as two sentences for a person. */
export function explain(error: unknown): ApiFailure["trouble"] {
  if (error instanceof ApiFailure) return error.trouble;
  return { message: error instanceof Error ? error.message : String(error) };
}

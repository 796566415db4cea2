import { type ApiClient, ApiFailure, createApiClient } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";

export { type ApiClient as Api, ApiFailure } from "../../../src/gateway/api.ts";

/** What went wrong, and what to do about it. */
export type Trouble = ApiFailure["trouble"];

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
export function explain(error: unknown): Trouble {
  if (error instanceof ApiFailure) return { ...error.trouble, message: inPlainWords(error) };
  return { message: error instanceof Error ? error.message : String(error) };
}

/** Refusals of a value begin with a name for programs (`precis:`, `settings.window:`). People see which box is meant. */
const NAMED = { invalid: /^[a-z]\w*(?:\.\w+)*: /, config: /^precis: /, "budget-impossible": /^precis: / };

function inPlainWords({ code, message }: ApiFailure): string {
  const plain = Object.hasOwn(NAMED, code) ? message.replace(NAMED[code as keyof typeof NAMED], "") : message;
  return plain === message || /^https?:/.test(plain) ? plain : plain.charAt(0).toUpperCase() + plain.slice(1);
}

import type { Json } from "./fields.ts";

/** Codes of ours that OpenAI's clients know under another name. */
const KNOWN: Readonly<Record<string, string>> = {
  "budget-impossible": "context_length_exceeded",
  unauthorized: "invalid_api_key",
};

/** An error as OpenAI's clients expect it. */
export function openaiError(
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): Json {
  const type =
    status === 401
      ? "authentication_error"
      : status === 429
        ? "rate_limit_error"
        : status < 500
          ? "invalid_request_error"
          : "server_error";
  return { error: { message, type, param: null, code: KNOWN[code] ?? code } };
}

/** A provider with an API of its own: how its servers are reached, and those that imitate it. */
export interface Provider {
  /** The base URL as its own clients take it, with the version or without. */
  readonly baseURL: string;
  /** What the paths of its APIs begin with. */
  readonly version: string;
  /** Carries the key. */
  readonly keyHeader: string;
  /** Stand in each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Is this one of its own servers? */
  isAt(hostname: string): boolean;
}

export const OPENAI: Provider = {
  baseURL: "https://api.openai.com/v1",
  version: "/v1",
  keyHeader: "authorization",
  headers: {},
  isAt: (hostname) => hostname === "api.openai.com" || hostname.endsWith(".openai.azure.com"),
};

export const ANTHROPIC: Provider = {
  baseURL: "https://api.anthropic.com",
  version: "/v1",
  keyHeader: "x-api-key",
  headers: { "anthropic-version": "2023-06-01" },
  isAt: (hostname) => hostname === "api.anthropic.com",
};

export const GOOGLE: Provider = {
  baseURL: "https://generativelanguage.googleapis.com/v1beta",
  version: "/v1beta",
  keyHeader: "x-goog-api-key",
  headers: {},
  isAt: (hostname) =>
    hostname === "generativelanguage.googleapis.com" || hostname.endsWith("aiplatform.googleapis.com"),
};

/** Headers that carry a key for a provider: Azure has one of its own. */
export const KEY_HEADERS = [OPENAI.keyHeader, ANTHROPIC.keyHeader, "api-key", GOOGLE.keyHeader];

/** A key as it is sent. */
export function keyHeaders({ keyHeader }: Provider, key: string): Record<string, string> {
  return { [keyHeader]: keyHeader === "authorization" ? `Bearer ${key}` : key };
}

/** Is the base URL given without the version? */
export const isBare = ({ baseURL, version }: Provider): boolean => !baseURL.endsWith(version);

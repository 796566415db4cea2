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

export function isOpenai(hostname: string): boolean {
  return hostname === "api.openai.com" || hostname.endsWith(".openai.azure.com");
}

/** Google's own servers for Gemini, and those of its cloud. */
export function isGoogle(hostname: string): boolean {
  return hostname === "generativelanguage.googleapis.com" || hostname.endsWith("aiplatform.googleapis.com");
}

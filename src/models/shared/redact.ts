import { cutTo } from "../../core/first-characters.ts";

/** More than this isn't looked at: only its beginning is ever shown (characters). */
const MAX_READ_CHARS = 16_384;
/** Longest excerpt of a provider's words in an error of ours. */
const MAX_EXCERPT_CHARS = 300;
const HIDDEN = "[hidden]";
/** Shorter ones ("none", "x") are stand-ins for no key; hiding them would only garble the text. */
const MIN_SECRET_CHARS = 6;

/** Looks like a key of a provider, or like what stands in a header that carries one. */
const KEY_LIKE =
  /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|fw|csk|tgp|key|api)[-_][\w*.-]{8,}|\bAIza[\w-]{10,}|\bBearer\s+[^\s"',}]+|(?<![\w-])eyJ[\w-]{10,}\.[\w.-]+/gi;

/**
 * A provider's words, safe to show: without the secrets that we sent, without anything that looks like a key (providers
 * echo parts of wrong ones), on one line and short.
 */
export function redact(text: string, secrets: readonly string[]): string {
  let safe = text.length <= MAX_READ_CHARS ? text : beginningOf(text);
  for (const secret of secrets) if (secret.length >= MIN_SECRET_CHARS) safe = safe.replaceAll(secret, HIDDEN);
  safe = safe
    .replace(KEY_LIKE, HIDDEN)
    .replace(/([?&](?:key|api[-_]?key|token)=)[^&\s"']+/gi, `$1${HIDDEN}`)
    .replace(/\/\/[^/\s:@]+:[^/\s@]+@/g, `//${HIDDEN}@`)
    .replace(/\s+/g, " ")
    .trim();
  return cutTo(safe, MAX_EXCERPT_CHARS);
}

/** The first words of a long text. The last of them may have been cut, and half a secret isn't known as one. */
function beginningOf(text: string): string {
  const start = text.slice(0, MAX_READ_CHARS);
  return start.slice(0, Math.max(0, start.lastIndexOf(" ")));
}

/** What looks like a key or a password in a text. */
const SECRETS =
  /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|ghp|gho|github_pat|glpat|xox[abpr])[-_][\w.-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----END)[^"]){1,8192}-----END [A-Z ]*PRIVATE KEY-----/g;

/** A password in an address, or behind its name. The name of a type behind it is none. */
const PASSWORDS =
  /(:\/\/[^\s/:@"\\]{1,100}:)[^\s/@"\\]{1,200}(?=@)|(\b(?:password|passwd|passphrase)\b\\*["']?\s{0,9}[:=]\s{0,9}\\*["']?)(?!(?:string|str|text|boolean|bool|null|undefined|true|false|none|required)\b)[^\s"'\\,;&]{4,200}/gi;

/** What stands in place of a secret. */
export const REDACTED = "[secret]";

/** JSON text with secrets replaced; it stays JSON, because none of the signs of a secret has a meaning in JSON. */
export function redactSecrets(wire: string): string {
  return wire
    .replace(SECRETS, REDACTED)
    .replace(PASSWORDS, (_, address?: string, name?: string) => `${address ?? name ?? ""}${REDACTED}`);
}

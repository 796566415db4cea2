/** The base URL of an OpenAI-compatible API, by the address of a path below it. */
export function openaiBase(addressOf: (path: string) => string): string {
  return addressOf("/v1/x").replace(/\/x(?=\?|$)/, "");
}

import { ConfigError } from "../../core/errors.ts";
import type { Endpoint, Fetch } from "./http.ts";
import { redact } from "./redact.ts";

/** Hosts on this machine or in its own network, which mostly need no key. */
const LOCAL_HOST =
  /^(?:localhost|.*\.(?:localhost|local|internal|lan)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|[^.:[\]]+)$/i;
/** Headers that carry a key in place of `apiKey`. */
const KEY_HEADERS = ["authorization", "api-key", "x-api-key", "x-goog-api-key", "cf-aig-authorization"];

/** What an address is made of. */
export interface EndpointOptions {
  readonly name: string;
  readonly path: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly fetch: Fetch | undefined;
  /** The headers that carry the key in this API. */
  readonly keyHeaders: (apiKey: string) => Readonly<Record<string, string>>;
}

/** Checks the options once, so that a missing key or a typo is told when the model is made, not when it is needed. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { name, apiKey, model, headers = {} } = options;
  if (typeof model !== "string" || model.trim() === "")
    throw new ConfigError({
      option: "model",
      message: "it is empty.",
      fix: `Name the model: ${name}({ model: "…" }).`,
    });
  // An address may ask something with every request, such as Azure's `api-version`.
  const [address = "", query] = options.baseURL.split("?", 2);
  const base = address.replace(/\/+$/, "");
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new ConfigError({
      option: "baseURL",
      message: `${JSON.stringify(redact(options.baseURL, [apiKey ?? ""]))} is not an http(s) address.`,
      fix: "Give the whole address, like http://localhost:11434/v1.",
    });
  const key = apiKey?.trim() ?? "";
  const own = Object.keys(headers).map((header) => header.toLowerCase());
  const hasKeyHeader = own.some((header) => KEY_HEADERS.includes(header));
  const { hostname } = new URL(base);
  if (key === "" && !hasKeyHeader && !LOCAL_HOST.test(hostname))
    throw new ConfigError({
      option: "apiKey",
      message: `it is missing, and ${hostname} is not on this machine.`,
      fix: 'Give the key (from where you keep it, like an environment variable), or apiKey: "none" for a server that needs none.',
    });
  const all: Record<string, string> = { "content-type": "application/json", accept: "application/json" };
  if (key !== "" && !hasKeyHeader) Object.assign(all, options.keyHeaders(key));
  for (const [header, value] of Object.entries(headers)) all[header.toLowerCase()] = value;
  checkHeaders(all);
  return {
    url: `${base}${options.path}${query === undefined ? "" : `?${query}`}`,
    model,
    headers: all,
    secrets: [key, ...KEY_HEADERS.map((header) => all[header] ?? "")].filter((secret) => secret !== ""),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
  };
}

/** Told here without the value: the runtime's own error would show it, and it may be a key. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new ConfigError({
        option: KEY_HEADERS.includes(name) ? "apiKey" : "headers",
        message: `the header ${JSON.stringify(name)} has a value that can't be sent.`,
        fix: "Look for line breaks and for letters outside of ASCII.",
      });
    }
  }
}

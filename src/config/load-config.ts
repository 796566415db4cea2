import { readFile } from "node:fs/promises";
import { nearest } from "../core/check.ts";
import { ConfigError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { WELL_KNOWN } from "./environment.ts";
import { type GatewayConfig, type GatewayConfigInput, gatewaySchema } from "./gateway-schema.ts";
import {
  fromFlags,
  fromVariables,
  givenClientKeys,
  givenUpstream,
  SettingError,
  VARIABLES,
  type Variables,
} from "./given-settings.ts";
import { parseConfig } from "./parse-config.ts";

/** The file that is read when none is named. */
const CONFIG_FILE = "precis.config.json";

export interface LoadOptions {
  /** A config file that must be there. */
  readonly file?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the command line says; wins over everything. */
  readonly flags?: GatewayConfigInput & { readonly upstream?: string };
  /** Where requests go if neither flags nor variables nor the file name an upstream. Default: where the keys in the environment belong. */
  readonly fallback?: string;
  /** Told, in words for people, what was passed over. */
  readonly warn?: (text: string) => void;
}

/** Flags over environment over file over defaults. */
export async function loadConfig({
  file,
  env,
  flags = {},
  fallback,
  warn,
}: LoadOptions): Promise<GatewayConfig> {
  const variable = env["PRECIS_CONFIG"] || undefined;
  const fromFile = await readConfigFile(file ?? variable, file === undefined ? "PRECIS_CONFIG" : "--config");
  const named = variablesIn(fromFile.config);
  if (warn) for (const text of unknownVariables(env, (name) => named.has(name))) warn(text);
  const { upstream, ...rest } = flags;
  const fromLine = fromFlags(rest);
  const merged: Record<string, unknown> = {
    ...fromFile.config,
    ...fromVariables(env, fromLine),
    ...fromLine,
  };
  const address = givenUpstream(upstream, env);
  const listed = merged["upstreams"] ?? [];
  if (address !== undefined) merged["upstreams"] = [fromAddress(address, env, warn)];
  else if (!Array.isArray(listed)) merged["upstreams"] = listed;
  else if (listed.length === 0)
    merged["upstreams"] = fallback === undefined ? fromKeys(env) : [fromAddress(fallback, env, warn)];
  else merged["upstreams"] = listed.map((one, index) => withSecrets(one, index, env));
  if (merged["auth"] !== undefined) merged["auth"] = withClientKeys(merged["auth"], env);
  else if (env["PRECIS_CLIENT_KEYS"]) merged["auth"] = withClientKeys({}, env);
  return parseConfig(merged, fromFile.name ?? "the environment and flags");
}

/** Why a file can't be read, by the system's codes. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "the file doesn't exist.",
  EISDIR: "this is a folder.",
  EACCES: "the file can't be read (no permission).",
};

async function readConfigFile(
  file: string | undefined,
  setting: string,
): Promise<{ name?: string; config: object }> {
  const name = file ?? CONFIG_FILE;
  let text: string;
  try {
    text = await readFile(name, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (file === undefined && code === "ENOENT") return { config: {} };
    const problem = UNREADABLE[code ?? ""];
    if (file !== undefined && problem !== undefined)
      throw new SettingError({ setting, value: file, problem, fix: "Check the path, or leave it out." });
    throw new ConfigError({
      option: "config",
      message: `${name} can't be read (${(cause as Error).message}).`,
      fix: "Check the path, or leave --config out.",
      cause,
    });
  }
  try {
    // Some editors put a byte order mark before the text.
    const config: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (!isRecord(config)) throw new Error("it is something else");
    return { name, config };
  } catch (cause) {
    throw new ConfigError({
      option: "config",
      message: `${name} isn't a JSON object (${(cause as Error).message}).`,
      fix: "Write keys and texts in double quotes, without comments and without a comma after the last entry.",
      cause,
    });
  }
}

/**
 * One upstream for everything. Its key is the server's if there is one in the environment, else the client's. A provider's key goes to
 * that provider only.
 */
function fromAddress(address: string, env: LoadOptions["env"], warn: LoadOptions["warn"]): object {
  const isAt = ({ baseURL }: { readonly baseURL: string }) => new URL(baseURL).host === new URL(address).host;
  const own = WELL_KNOWN.find(isAt);
  const apiKey = env["PRECIS_UPSTREAM_KEY"] ?? (own && env[own.key]);
  const unused = apiKey ? undefined : WELL_KNOWN.find(({ key }) => env[key]);
  if (unused)
    warn?.(
      `${unused.key} isn't sent to ${new URL(address).host}: clients send their own key. Set PRECIS_UPSTREAM_KEY to send one for all of them.`,
    );
  return { name: "upstream", baseURL: address, ...(apiKey && { apiKey }) };
}

function fromKeys(env: LoadOptions["env"]): object[] {
  return WELL_KNOWN.flatMap(({ key, name, baseURL, models }) => {
    const apiKey = env[key];
    return apiKey ? [{ name, baseURL, models: [...models], apiKey }] : [];
  });
}

function variablesIn(config: object): ReadonlySet<string> {
  return new Set([...JSON.stringify(config).matchAll(/"env:([^"]*)"/g)].map(([, name]) => name!));
}

/** `env:NAME` stands for a variable, so that no key needs to stand in a file. */
function withSecrets(upstream: unknown, index: number, env: LoadOptions["env"]): unknown {
  if (typeof upstream !== "object" || upstream === null || !("apiKey" in upstream)) return upstream;
  return { ...upstream, apiKey: secret(upstream.apiKey, env, `upstreams.${index}.apiKey`) };
}

function withClientKeys(auth: unknown, env: LoadOptions["env"]): unknown {
  if (typeof auth !== "object" || auth === null) return auth;
  const listed: unknown = "keys" in auth ? auth.keys : [];
  if (!Array.isArray(listed)) return auth;
  const keys = listed.map((one, index) =>
    typeof one === "object" && one !== null && "key" in one
      ? { ...one, key: secret(one.key, env, `auth.keys.${index}.key`) }
      : one,
  );
  return { ...auth, keys: [...keys, ...givenClientKeys(env)] };
}

function secret(value: unknown, env: LoadOptions["env"], option: string): unknown {
  if (typeof value !== "string" || !value.startsWith("env:")) return value;
  const name = value.slice(4);
  const found = env[name];
  if (found) return found;
  throw new ConfigError({
    option,
    message: `the variable ${name} isn't set.`,
    fix: `Set ${name}, or leave the key out to pass the client's own on.`,
  });
}

const PREFIX = "PRECIS_";

/** What Kubernetes sets for a service called precis. */
const OF_A_SERVICE = /^PRECIS_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP|SCTP))(?:_|$)/;

/** Variables that look like precis's own and that nothing reads, each in words for whoever set it. */
export function unknownVariables(env: Variables, isNamed: (variable: string) => boolean): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && (env[name] ?? "") !== "")
    .filter((name) => !VARIABLES.includes(name) && !OF_A_SERVICE.test(name) && !isNamed(name))
    .sort()
    .map((name) => `${name} isn't a known variable and is ignored. ${adviceOn(name)}`);
}

function adviceOn(name: string): string {
  const short = (text: string) => text.slice(PREFIX.length);
  const key = Object.keys(gatewaySchema.shape).find((one) => bare(one) === bare(short(name)));
  if (key !== undefined) return `Set ${key} in the config file instead.`;
  // Without what all have in common, which would make any two of them alike.
  const close = nearest(short(name), VARIABLES.map(short));
  return close === undefined
    ? `Known variables: ${VARIABLES.join(", ")}.`
    : `Did you mean ${PREFIX}${close}?`;
}

/** `landAt` and `LAND_AT` are one name. */
const bare = (text: string): string => text.replaceAll("_", "").toLowerCase();

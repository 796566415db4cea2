import type { z } from "zod";
import { PrecisError } from "../core/errors.ts";
import { gatewaySchema, SHORTEST_CLIENT_KEY } from "./gateway-schema.ts";
import { hasSecret, httpAddress, wordsIn } from "./values.ts";

/** A flag or a variable has a value that can't work. Named as whoever set it wrote it. */
export class SettingError extends PrecisError {
  readonly code = "setting";
  /** `--port` or `PRECIS_PORT`. */
  readonly setting: string;

  /** Without a value, for settings that hold secrets, only the setting is named. */
  constructor(fields: { setting: string; value?: string; problem: string; fix: string }) {
    const { setting, value, problem, fix } = fields;
    const given = value === undefined ? "" : `${setting.startsWith("--") ? " " : "="}${value}`;
    super(`precis: ${setting}${given}: ${problem}`, fix);
    this.setting = setting;
  }
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Settings that a variable may set, some of them a flag too. What a value may be, the schema says. */
const SETTINGS = {
  host: "text",
  port: "number",
  db: "text",
  // Sizes are texts: the schema knows their units.
  window: "text",
  budget: "text",
  profile: "text",
  workers: "number",
  graceMs: "time",
  log: "text",
} as const satisfies Partial<Record<keyof typeof gatewaySchema.shape, "text" | "number" | "time">>;

const SERVICE_ADDRESS = /^(?:tcp|udp):\/\//;

type Name = keyof typeof SETTINGS;
const NAMES = Object.keys(SETTINGS) as Name[];

/** The name of its flag. A time is given with its unit there, so the name has none. */
const flagOf = (name: Name): string => name.replace(/Ms$/, "");
const variableOf = (name: Name): string => `PRECIS_${flagOf(name).toUpperCase()}`;

/** Every variable that precis reads by a name of its own. */
export const VARIABLES: readonly string[] = [
  "PRECIS_CONFIG",
  ...NAMES.map(variableOf),
  "PRECIS_UPSTREAM",
  "PRECIS_UPSTREAM_KEY",
  "PRECIS_CLIENT_KEYS",
];

/** What the command line says, checked under the names of its flags. */
export function fromFlags(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  for (const name of NAMES)
    if (name in given) check(name, given[name], `--${flagOf(name)}`, String(given[name]));
  return given;
}

/** What the variables say, checked under their names, but for what the command line says otherwise. */
export function fromVariables(
  env: Variables,
  flags: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of NAMES) {
    const variable = variableOf(name);
    const text = env[variable];
    if (!text || name in flags) continue;
    if (name === "port" && SERVICE_ADDRESS.test(text))
      throw new SettingError({
        setting: variable,
        value: text,
        problem: "this is an address that Kubernetes sets for a service named precis.",
        fix: "Set enableServiceLinks to false in the pod, or PRECIS_PORT to a number from 0 to 65535.",
      });
    const kind = SETTINGS[name];
    // No time needs no unit.
    const isNumber = kind === "number" || (kind === "time" && text === "0");
    found[name] = isNumber ? Number(text) : text;
    check(name, found[name], variable, text);
  }
  return found;
}

export function givenUpstream(flag: string | undefined, env: Variables): string | undefined {
  const address = flag ?? (env["PRECIS_UPSTREAM"] || undefined);
  if (address === undefined) return undefined;
  const setting = flag === undefined ? "PRECIS_UPSTREAM" : "--upstream";
  const parsed = httpAddress.safeParse(address);
  if (parsed.success) return address;
  if (hasSecret(address))
    throw new SettingError({
      setting,
      problem: "an address must not contain a key.",
      fix: "Set PRECIS_UPSTREAM_KEY instead.",
    });
  throw wrongSetting(setting, address, parsed.error);
}

/** `PRECIS_CLIENT_KEYS`: NAME:KEY pairs, for containers that are configured by variables alone. */
export function givenClientKeys(env: Variables): { name: string; key: string }[] {
  return (env["PRECIS_CLIENT_KEYS"] ?? "")
    .split(",")
    .filter(Boolean)
    .map((pair, index) => {
      const at = pair.indexOf(":");
      const name = at < 0 ? `client-${index + 1}` : pair.slice(0, at).trim();
      const key = pair.slice(at + 1).trim();
      if (name !== "" && key.length >= SHORTEST_CLIENT_KEY) return { name, key };
      throw new SettingError({
        setting: "PRECIS_CLIENT_KEYS",
        problem: `entry ${index + 1} has ${name === "" ? "no name" : `a key of fewer than ${SHORTEST_CLIENT_KEY} characters`}.`,
        fix: `Write name:key, and a comma between two, with keys of at least ${SHORTEST_CLIENT_KEY} characters.`,
      });
    });
}

function check(name: Name, value: unknown, setting: string, text: string): void {
  if (SETTINGS[name] === "time" && typeof value === "string" && /^\s*\d+\s*$/.test(value))
    throw new SettingError({
      setting,
      value: text,
      problem: "this has no unit.",
      fix: "Give a time such as 500ms, 5s or 1m.",
    });
  const parsed = gatewaySchema.shape[name].safeParse(value);
  if (!parsed.success) throw wrongSetting(setting, text, parsed.error);
}

function wrongSetting(setting: string, value: string, error: z.ZodError): SettingError {
  const { problem, fix } = wordsIn(error.issues[0]!.message);
  return new SettingError({ setting, ...(!hasSecret(value) && { value }), problem: `this ${problem}.`, fix });
}

import {
  gatewaySchema,
  httpAddress,
  LOG_LEVELS,
  PROFILE_NAMES,
  SHORTEST_CLIENT_KEY,
} from "./gateway-schema.ts";
import { SettingError } from "./setting-error.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

interface Words {
  readonly problem: string;
  readonly fix: string;
}

const TOKENS: Words = { problem: "this is no number of tokens.", fix: "Give at least 100, such as 8192." };
const ADDRESS: Words = {
  problem: "this is no address.",
  fix: "Give the whole of it, such as https://api.openai.com/v1.",
};

/** Settings that a variable may set, some of them a flag too. What a value may be, the schema says. */
const SETTINGS = {
  host: { kind: "text", problem: "this is no host.", fix: "Give one such as 127.0.0.1." },
  port: { kind: "number", problem: "this is no port.", fix: "Give a number from 0 to 65535." },
  db: {
    kind: "text",
    problem: "precis knows no such database.",
    fix: "Give a file, postgres://…, or memory.",
  },
  window: { kind: "number", ...TOKENS },
  budget: { kind: "number", ...TOKENS },
  profile: {
    kind: "text",
    problem: "there is no such profile.",
    fix: `It is one of ${PROFILE_NAMES.join(", ")}.`,
  },
  workers: { kind: "number", problem: "this is no number of workers.", fix: "Give 1 to 256." },
  log: { kind: "text", problem: "there is no such level.", fix: `It is one of ${LOG_LEVELS.join(", ")}.` },
} as const satisfies Partial<
  Record<keyof typeof gatewaySchema.shape, Words & { readonly kind: "text" | "number" }>
>;

type Name = keyof typeof SETTINGS;
const NAMES = Object.keys(SETTINGS) as Name[];

/** What the command line says, checked under the names of its flags. */
export function fromFlags(flags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  for (const name of NAMES) if (name in given) check(name, given[name], `--${name}`, String(given[name]));
  return given;
}

/** What the variables say, checked under their names, but for what the command line says otherwise. */
export function fromVariables(
  env: Variables,
  flags: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of NAMES) {
    const variable = `PRECIS_${name.toUpperCase()}`;
    const text = env[variable];
    if (!text || name in flags) continue;
    found[name] = SETTINGS[name].kind === "number" ? Number(text) : text;
    check(name, found[name], variable, text);
  }
  return found;
}

/** The address of the one upstream for everything. */
export function givenUpstream(flag: string | undefined, env: Variables): string | undefined {
  const address = flag ?? (env["PRECIS_UPSTREAM"] || undefined);
  if (address === undefined || httpAddress.safeParse(address).success) return address;
  const setting = flag === undefined ? "PRECIS_UPSTREAM" : "--upstream";
  if (!hasSecret(address)) throw new SettingError({ setting, value: address, ...ADDRESS });
  throw new SettingError({
    setting,
    problem: "keys don't belong into an address.",
    fix: "Set PRECIS_UPSTREAM_KEY instead.",
  });
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
  if (gatewaySchema.shape[name].safeParse(value).success) return;
  const { problem, fix } = SETTINGS[name];
  throw new SettingError({ setting, ...(!hasSecret(text) && { value: text }), problem, fix });
}

/** An address with a user or a password in it isn't repeated. */
const hasSecret = (text: string): boolean => /\/\/[^/]*@/.test(text);

import { readEnvironment } from "../config/environment.ts";
import { unknownVariables } from "../config/unknown-variables.ts";
import { ConfigError } from "../core/errors.ts";
import { candidates, findLocalServers, type LocalServer } from "../gateway/upstream/local-servers.ts";
import { type Offer, offersOf, type Use, usesOf } from "./doctor/advice.ts";
import { type Check, checkMachine } from "./doctor/machine.ts";
import { doctorText } from "./doctor/text.ts";
import type { Io } from "./io.ts";
import type { RunOf } from "./run.ts";

/** What the doctor found. */
export interface Diagnosis {
  /** Everything that precis can't do without is there. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly servers: readonly LocalServer[];
  readonly keys: readonly {
    readonly provider: string;
    readonly variable: string;
    readonly problem?: string;
  }[];
  readonly missing: readonly { readonly name: string; readonly variable: string }[];
  readonly settings: readonly string[];
  /** What is wrong with names among the settings. */
  readonly unknown: readonly string[];
  readonly offers: readonly Offer[];
  readonly uses: readonly Use[];
}

export async function doctor(run: RunOf<"doctor">): Promise<void> {
  const diagnosis = await diagnose(run.io);
  run.print(diagnosis, () => doctorText(diagnosis, run.look));
  const bad = diagnosis.checks.find((check) => check.needed && !check.ok);
  if (bad !== undefined)
    throw new ConfigError({ option: bad.id, message: `${bad.found}.`, fix: bad.fix ?? "See above." });
}

async function diagnose(io: Io): Promise<Diagnosis> {
  const env = readEnvironment(io.env);
  // One after the other: loading the tokenizer holds everything up, and a server would seem not to answer.
  const servers = await findLocalServers(candidates(env.ollama), io.signal);
  const checks = await checkMachine(process.version);
  const offers = offersOf(env, servers);
  return {
    ok: checks.every((check) => check.ok || !check.needed),
    checks,
    servers,
    keys: env.providers.map(({ name, variable, problem }) => ({
      provider: name,
      variable,
      ...(problem === undefined ? {} : { problem }),
    })),
    missing: env.missing,
    settings: env.settings,
    unknown: unknownVariables(io.env, () => false),
    offers,
    uses: usesOf(env, servers, offers),
  };
}

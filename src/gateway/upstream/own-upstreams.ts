import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { parseUpstream, type UpstreamConfig } from "../../config/gateway-schema.ts";
import { ConfigError } from "../../core/errors.ts";
import { databaseKind } from "../../stores/database-kind.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

/** What a person adds on the page. */
export type OwnUpstream = Pick<UpstreamConfig, "name" | "baseURL"> &
  Partial<Pick<UpstreamConfig, "apiKey" | "models">>;

const OWNER_ONLY = 0o600;

/** The file beside a database; undefined where there is none to lie beside. */
export function ownUpstreamsFile({
  db,
  store,
}: {
  readonly db: string;
  readonly store: boolean;
}): string | undefined {
  const isFile = store && databaseKind(db) === "sqlite";
  return isFile ? `${db.replace(/^file:(\/\/)?/i, "").replace(/\?.*$/, "")}.models.json` : undefined;
}

/**
 * Upstreams that a person added on the page, with their keys. They lie in a file of their own that only its owner can read,
 * beside the database, or in memory where nothing is stored: never in the database, in an export or in a log.
 */
export type OwnUpstreams = Awaited<ReturnType<typeof openOwnUpstreams>>;

/** `upstreams`: all of the server's, which this adds to and takes from. */
export async function openOwnUpstreams(file: string | undefined, upstreams: Upstream[]) {
  const own = new Map<string, { readonly config: OwnUpstream; readonly upstream: Upstream }>();
  const put = (config: OwnUpstream): void => {
    drop(config.name);
    const upstream = createUpstream(parseUpstream(config));
    own.set(config.name, { config, upstream });
    if (config.models) upstreams.unshift(upstream);
    else {
      upstream.isUnlisted = true;
      upstreams.push(upstream);
    }
  };
  const drop = (name: string): void => {
    const found = own.get(name);
    if (!found) return;
    own.delete(name);
    upstreams.splice(upstreams.indexOf(found.upstream), 1);
    // Answers that are under way may end.
    void found.upstream.pool.close();
  };
  const write = async (): Promise<void> => {
    if (file === undefined) return;
    const text = JSON.stringify(
      [...own.values()].map(({ config }) => config),
      undefined,
      2,
    );
    await writeFile(`${file}.new`, `${text}\n`, { mode: OWNER_ONLY });
    await chmod(`${file}.new`, OWNER_ONLY);
    await rename(`${file}.new`, file);
  };
  let saving = Promise.resolve();
  /** One after the other: all go by the same name before they take the file's place. */
  const save = (): Promise<void> => {
    saving = saving.catch(() => {}).then(write);
    return saving;
  };
  for (const config of await readOwn(file)) put(config);
  return {
    has: (name: string): boolean => own.has(name),
    /** Adds one, or takes the place of one with the same name. It goes before those of the config, or last where its models couldn't be listed. */
    async add(config: OwnUpstream): Promise<void> {
      put(config);
      await save();
    },
    async remove(name: string): Promise<void> {
      drop(name);
      await save();
    },
  };
}

async function readOwn(file: string | undefined): Promise<OwnUpstream[]> {
  if (file === undefined) return [];
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unreadable(file, "it can't be opened", error);
  }
  // Somebody may have copied it, or made it by hand, so that others could read the keys.
  await chmod(file, OWNER_ONLY).catch(() => {});
  const given = parsed(file, text);
  if (!Array.isArray(given)) throw unreadable(file, "it isn't a list");
  return given.map((one: unknown, index) => {
    try {
      parseUpstream(one as object);
    } catch {
      throw unreadable(file, `entry ${index + 1} isn't an upstream with a name and a baseURL`);
    }
    return one as OwnUpstream;
  });
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What the parser says quotes the text, and with it perhaps a key.
    throw unreadable(file, "it isn't valid JSON");
  }
}

/** It isn't passed over: the next model that is added would take the place of all that it holds. */
function unreadable(file: string, problem: string, cause?: unknown): ConfigError {
  return new ConfigError({
    option: "db",
    message: `the models that were added on the page are in ${file}, but ${problem}.`,
    fix: "Mend that file, or move it away and add the models again.",
    cause,
  });
}

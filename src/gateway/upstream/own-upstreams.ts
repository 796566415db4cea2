import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { parseUpstream, type UpstreamConfig } from "../../config/gateway-schema.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

/** What a person adds on the page. */
export type OwnUpstream = Pick<UpstreamConfig, "name" | "baseURL"> &
  Partial<Pick<UpstreamConfig, "apiKey" | "models">>;

/**
 * Upstreams that a person added on the page, with their keys. They lie in a file of their own that only its owner can read,
 * beside the database, or in memory where nothing is stored: never in the database, in an export or in a log.
 */
export interface OwnUpstreams {
  has(name: string): boolean;
  /** Adds one, or takes the place of one with the same name. It goes before those of the config. */
  add(upstream: OwnUpstream): Promise<void>;
  remove(name: string): Promise<void>;
}

const OWNER_ONLY = 0o600;

/** The file beside a database; undefined where there is none to lie beside. */
export function ownUpstreamsFile({
  db,
  store,
}: {
  readonly db: string;
  readonly store: boolean;
}): string | undefined {
  const isFile = store && db !== "memory" && db !== ":memory:" && !/^postgres(ql)?:/i.test(db);
  return isFile ? `${db.replace(/^file:(\/\/)?/i, "").replace(/\?.*$/, "")}.models.json` : undefined;
}

/** `upstreams`: all of the server's, which this adds to and takes from. */
export async function openOwnUpstreams(
  file: string | undefined,
  upstreams: Upstream[],
): Promise<OwnUpstreams> {
  const own = new Map<string, { readonly config: OwnUpstream; readonly upstream: Upstream }>();
  const put = (config: OwnUpstream): void => {
    drop(config.name);
    const upstream = createUpstream(parseUpstream(config));
    own.set(config.name, { config, upstream });
    upstreams.unshift(upstream);
  };
  const drop = (name: string): void => {
    const found = own.get(name);
    if (!found) return;
    own.delete(name);
    upstreams.splice(upstreams.indexOf(found.upstream), 1);
    // Answers that are under way may end.
    void found.upstream.pool.close();
  };
  const save = async (): Promise<void> => {
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
  for (const config of await readOwn(file)) put(config);
  return {
    has: (name) => own.has(name),
    async add(config) {
      put(config);
      await save();
    },
    async remove(name) {
      drop(name);
      await save();
    },
  };
}

async function readOwn(file: string | undefined): Promise<OwnUpstream[]> {
  if (file === undefined) return [];
  try {
    return JSON.parse(await readFile(file, "utf8")) as OwnUpstream[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

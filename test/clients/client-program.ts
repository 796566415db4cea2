import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FakeApi, FakeCall } from "../../src/testing/fake-provider/index.ts";

/** Where a program runs and what it talks to. */
export interface ClientSetup {
  /** `http://127.0.0.1:PORT` of the gateway, without `/v1`. */
  readonly url: string;
  /** An empty folder that is the program's home. */
  readonly home: string;
  /** The folder that it works in. */
  readonly work: string;
  /** What it is asked to do. */
  readonly prompt: string;
  /** It goes on with the session of the run before. */
  readonly resumes: boolean;
  /** The window that it believes in (tokens), where it is to compact by itself. Left out: it is set up as the guide says. */
  readonly ownWindow?: number;
}

/** How a program is started. */
export interface ClientCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Config files to write before, by their path inside of the home. */
  readonly files?: Readonly<Record<string, unknown>>;
}

/** A client program as people use it. */
export interface ClientProgram {
  readonly name: string;
  /** The package that it comes in. */
  readonly package: string;
  /** The API that it speaks. */
  readonly api: FakeApi;
  /** Words of its standing instructions, where those aren't in the system prompt: the model must see them always. */
  readonly standing?: string;
  /** Why it isn't asked to go on with its session, where it isn't. */
  readonly cannotResume?: string;
  /** Machines that its package exists for (`linux-x64`), where those are few. */
  readonly machines?: readonly string[];
  start(setup: ClientSetup): ClientCommand;
  /** How a model asks it to read a file; `path` is relative to the folder that it works in. */
  readCall(path: string, setup: Pick<ClientSetup, "work">): FakeCall;
  /** Is a request one that its provider refuses with or without the gateway? */
  isInvalid?(body: Readonly<Record<string, unknown>>): boolean;
  /** What a model answers to a question that the program asks beside the task and wants as JSON. */
  readonly jsonAnswer?: object;
  /** Its own compaction. */
  readonly compaction: OwnCompaction;
  /** How a model asks it to let a sub-agent do something, where it has them. */
  subAgentCall?(prompt: string): FakeCall;
}

/** How a program compacts by itself. */
export interface OwnCompaction {
  /** What it decides by: the usage of answers, or its own count of its transcript. */
  readonly by: "usage" | "own count";
  /** Words that only its requests for a summary hold, or only what it leaves of a transcript. */
  readonly words: string;
  /** Why no setting keeps it from that, where none does. */
  readonly cannotBeSet?: string;
}

/** Key that the programs show. Nobody checks it. */
export const CLIENT_KEY = "client-key";

/** A file of an installed package. */
export function installed(path: string): string {
  return fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
}

/** The version of an installed package. */
export function versionOf(name: string): string {
  return (JSON.parse(readFileSync(installed(`${name}/package.json`), "utf8")) as { version: string }).version;
}

/** `linux-x64`: the programs' binaries come in packages that are named after the machine. */
export const MACHINE = `${process.platform}-${process.arch}`;

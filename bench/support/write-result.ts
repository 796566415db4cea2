import { availableParallelism } from "node:os";

/** Ratios differ from one kind of machine to another. */
const MACHINE = `${process.platform} on ${process.arch}, ${availableParallelism()} cores`;

/** Prints a result as JSON; `npm run bench` keeps it in `bench/results/<name>.json`. */
export function writeResult(result: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify({ node: process.versions.node, machine: MACHINE, ...result }, null, 2));
}

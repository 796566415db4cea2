/** Prints a result as JSON; `npm run bench` keeps it in `bench/results/<name>.json`. */
export function writeResult(result: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify({ node: process.versions.node, ...result }, null, 2));
}

/** How much is tried: `sample` in every test run, `more` before a release, `all` for the published numbers. */
export type Proof = "sample" | "more" | "all";

const asked = process.env["PRECIS_PROOF"] ?? "sample";
if (asked !== "sample" && asked !== "more" && asked !== "all")
  throw new Error(`PRECIS_PROOF is "${asked}"; use sample, more or all.`);

export const PROOF: Proof = asked;

/** The number, list or setting for the present level. */
export function byProof<T>(levels: Readonly<Record<Proof, T>>): T {
  return levels[PROOF];
}

/** The name of an upstream that was given by its address alone. */
const UNNAMED = "upstream";

/** An upstream as sentences call it. */
export const called = (name: string): string => (name === UNNAMED ? "the upstream" : `the upstream ${name}`);

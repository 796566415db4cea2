/**
 * What an acknowledged write survives: the end of the process, or a power failure too. It stands apart from `node:sqlite`, so that
 * whoever compiles against the package's declarations needs no types of Node.
 */
export type Durability = "process" | "power";

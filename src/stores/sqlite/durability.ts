/** What an acknowledged write survives: the end of the process, or a power failure too. */
export type Durability = "process" | "power";

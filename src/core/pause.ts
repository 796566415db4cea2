/** Lets others have their turn, if the work that asks has gone on for long enough. Rejects once nobody waits for it any more. */
export type Pause = () => Promise<void>;

/** Who asks. */
export interface Client {
  readonly tenant: string;
  /** Names its key among all of the tenant's. */
  readonly id: string;
  /** For people; several keys may have the same. */
  readonly name: string;
  /** The key in `authorization` or `x-api-key` is one of ours and must not be sent on. */
  readonly keyIsOurs: boolean;
  readonly limits: Readonly<Record<string, number>>;
}

/** The one tenant of a server without client keys. */
export const LOCAL: Client = { tenant: "default", id: "local", name: "local", keyIsOurs: false, limits: {} };

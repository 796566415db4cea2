/** Who asks. */
export interface Client {
  readonly tenant: string;
  readonly name: string;
  /** The key in `authorization` or `x-api-key` is one of ours and must not be sent on. */
  readonly keyIsOurs: boolean;
  readonly limits: Readonly<Record<string, number>>;
}

/** The one tenant of a server without client keys. */
export const LOCAL: Client = { tenant: "default", name: "local", keyIsOurs: false, limits: {} };

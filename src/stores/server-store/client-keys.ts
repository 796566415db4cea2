/** Keys that clients of the server show. Only their hashes are stored. */
export interface ClientKeyStore {
  /** The key itself is in the answer, and nowhere else ever again. */
  create(tenant: string, key: NewClientKey): Promise<{ readonly key: string; readonly clientKey: ClientKey }>;
  /** Whose key this is; undefined for one that is unknown, revoked or expired. */
  verify(key: string): Promise<ClientKey | undefined>;
  list(tenant: string): Promise<ClientKey[]>;
  /** False when there is none. */
  revoke(tenant: string, id: string): Promise<boolean>;
}

/** A key to make. */
export interface NewClientKey {
  readonly name: string;
  /** Limits by name, such as `requestsPerMinute`; the server enforces them. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly expiresAt?: number;
}

/** What is stored of a client key: everything but the key itself. */
export interface ClientKey {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly limits: Readonly<Record<string, number>>;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** Accurate to a minute. */
  readonly lastUsedAt: number | undefined;
}

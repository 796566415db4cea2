/** What a connection of `pg` can do beside what the query builder needs of it. */
export interface PreparingClient {
  query(query: {
    readonly text: string;
    readonly name?: string;
    readonly values?: readonly unknown[];
  }): Promise<{
    readonly rows: readonly unknown[];
  }>;
  release(error?: Error): void;
}

/** Names of prepared statements; beyond these a statement is sent as it is. */
const MAX_NAMES = 200;

/** A name for each text: what has one is parsed and planned once for each connection. */
export function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_NAMES) return known;
    const name = `precis_${names.size}`;
    names.set(text, name);
    return name;
  };
}

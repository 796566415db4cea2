import { readFileSync } from "node:fs";
import type { Checkpoint, Summary, Undo } from "../../src/core/types.ts";
import { migrations } from "../../src/stores/migrations/index.ts";
import type { ExportLine } from "../../src/stores/shared/export-line.ts";
import { migrate } from "../../src/stores/sql/migrate.ts";
import { putRow } from "../../src/stores/sql/put-row.ts";
import type { Script } from "../../src/stores/sql/script.ts";
import type { SqlEngine } from "../../src/stores/sql/sql-engine.ts";

/** Steps of the schema that the version had which wrote the fixture. */
const OLD_STEPS = 4;

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/store-v4/${name}`, import.meta.url), "utf8");

/** What the last version with the old hash stored and exported. */
export const oldExport = (): string[] => fixture("export.jsonl").trim().split("\n");

/** The next request of each client whose conversation is in there. */
export const oldClients = (): Readonly<Record<string, OldClient>> =>
  JSON.parse(fixture("clients.json")) as Record<string, OldClient>;

export interface OldClient {
  readonly path: string;
  /** Id of its conversation. */
  readonly id: string;
  readonly headers?: Record<string, string>;
  readonly body: object;
}

/** A database as that version left it. `copies` of all conversations, for as many tenants. */
export async function fillOldDatabase(engine: SqlEngine, copies = 1): Promise<void> {
  await migrate(engine, migrations.slice(0, OLD_STEPS));
  await engine.transact(insertAll(copies));
  await engine.close();
}

function* insertAll(copies: number): Script<void> {
  const lines = oldExport().map((line) => JSON.parse(line) as ExportLine);
  for (let copy = 0; copy < copies; copy++)
    for (const line of lines) if (line.type !== "precis-export") yield* insert(line, tenantOf(copy));
}

export const tenantOf = (copy: number): string => (copy === 0 ? "default" : `tenant-${copy}`);

/** Rows as they were then: columns that came later aren't named. */
function* insert(line: Exclude<ExportLine, { type: "precis-export" }>, tenant: string): Script<void> {
  const put = (table: string, row: object) => putRow(table, { tenant, ...row });
  switch (line.type) {
    case "conversation": {
      const { id, session, title, dialect, model, length, tokens, createdAt, updatedAt, fork, meta, named } =
        line.conversation;
      yield* put("precis_conversations", {
        id,
        session: session ?? null,
        named: named ? 1 : 0,
        title,
        title_search: title.toLowerCase(),
        dialect: dialect ?? null,
        model: model ?? null,
        length,
        tokens,
        created_at: createdAt,
        updated_at: updatedAt,
        pinned: 0,
        archived: 0,
        fork_of: fork?.of ?? null,
        fork_length: fork?.length ?? null,
        meta: meta === undefined ? null : JSON.stringify(meta),
      });
      return;
    }
    case "message": {
      const { position, hash, role, wire, tokens, at, answer } = line.message;
      yield* put("precis_messages", {
        conversation: line.conversation,
        position,
        hash,
        role,
        wire,
        tokens: tokens ?? null,
        at,
        answer: answer ?? null,
      });
      return;
    }
    case "citation": {
      const { number, source, title } = line.citation;
      const row = { conversation: line.conversation, number, source_hash: source, source };
      yield* put("precis_citations", { ...row, title: title ?? null });
      return;
    }
    case "checkpoint":
    case "summary":
    case "undo": {
      const record = line.record as Checkpoint & Summary & Undo;
      const common = { saved_at: line.savedAt, json: JSON.stringify(record) };
      if (line.type === "checkpoint")
        yield* put("precis_checkpoints", { id: record.id, hash: record.hash, ...common });
      else if (line.type === "summary")
        yield* put("precis_summaries", { key: record.key, hash: record.hash, ...common });
      else yield* put("precis_undos", { checkpoint: record.checkpoint, ...common });
      return;
    }
    default:
  }
}

import type { Script } from "../sql/script.ts";
import type { SqlEngine } from "../sql/sql-engine.ts";
import { initial } from "./0001-initial.ts";
import { namedSessions } from "./0002-named-sessions.ts";
import { answers } from "./0003-answers.ts";
import { textsWithMessages } from "./0004-texts-with-messages.ts";
import { givenAnswers } from "./0005-given-answers.ts";
import { cryptographicNames } from "./0006-cryptographic-names.ts";
import { answerSizes } from "./0007-answer-sizes.ts";
import { recalled } from "./0008-recalled.ts";
import { recallIndex } from "./0009-recall-index.ts";
import { signsInRecall } from "./0010-signs-in-recall.ts";
import { storedAt } from "./0011-stored-at.ts";

/** One step from a version of the schema to the next. A published one never changes. */
export interface Migration {
  readonly name: string;
  up(engine: SqlEngine): Script<void>;
  /**
   * Work on rows, of which there may be many: some of it, in a transaction of its own, after `up` is in the database. Any
   * node may go on where another one stopped; `cursor` says where, and is undefined at the beginning.
   */
  batch?(engine: SqlEngine, cursor: string | undefined): Script<MigrationBatch>;
}

/** How far the work on rows is. */
export interface MigrationBatch {
  /** Where to go on; undefined when all is done. */
  readonly cursor: string | undefined;
  /** Conversations that are done, and all of them. */
  readonly done: number;
  readonly total: number;
}

/** All steps, oldest first: version n of the schema is what the first n of them make. */
export const migrations: readonly Migration[] = [
  initial,
  namedSessions,
  answers,
  textsWithMessages,
  givenAnswers,
  cryptographicNames,
  answerSizes,
  recalled,
  recallIndex,
  signsInRecall,
  storedAt,
];

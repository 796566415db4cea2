import type { Db, SqlEngine } from "../sql/sql-engine.ts";
import { initial } from "./0001-initial.ts";
import { namedSessions } from "./0002-named-sessions.ts";
import { answers } from "./0003-answers.ts";
import { textsWithMessages } from "./0004-texts-with-messages.ts";
import { givenAnswers } from "./0005-given-answers.ts";

/** One step from a version of the schema to the next. A published one never changes. */
export interface Migration {
  readonly name: string;
  up(tx: Db, engine: SqlEngine): Promise<void>;
}

/** All steps, oldest first: version n of the schema is what the first n of them make. */
export const migrations: readonly Migration[] = [
  initial,
  namedSessions,
  answers,
  textsWithMessages,
  givenAnswers,
];

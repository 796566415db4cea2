// @ts-check
/** Writes the table of client programs into the guide, from what `npm run test:clients` recorded. */
import { readFileSync, writeFileSync } from "node:fs";
import { page, withClientTable } from "./lib/client-table.mjs";

writeFileSync(page, withClientTable(readFileSync(page, "utf8")));

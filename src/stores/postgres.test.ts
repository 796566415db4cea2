import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres, type TestPostgres } from "../../test/support/postgres.ts";
import { describeStore } from "../testing/store-contract.ts";
import { postgresStore } from "./postgres.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

describeStore({
  name: "PostgreSQL",
  open: async (effects) => postgresStore({ url: await server.database(), ...effects }),
  ownClock: false,
});

test("a server that can't be reached is named, its password isn't", async () => {
  const store = postgresStore({ url: "postgres://me:secret@127.0.0.1:1/db" });
  const error: unknown = await store.ready().catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/PostgreSQL at 127\.0\.0\.1:1\/db can't be reached/);
  expect(String(error)).not.toContain("secret");
  await store.close();
});

test("a wrong password is called that", async () => {
  const url = (await server.database()).replace("precis:precis", "precis:wrong");
  const store = postgresStore({ url });
  await expect(store.ready()).rejects.toThrow(/refused the user or password/);
  await store.close();
});

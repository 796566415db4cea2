import { describe, expect, it } from "vitest";
import type { LearnedValue } from "../../stores/server-store.ts";
import { STREAMS_OF_TENANT } from "../../stores/shared/pages.ts";
import { type ContractContext, DAY_MS } from "./samples.ts";

export function describeLeases(context: ContractContext): void {
  const { tenants } = context;
  describe("leases", () => {
    it("are held by one owner", async () => {
      const [tenant, other] = tenants();
      const { acquire, renew, release } = context.store.leases;
      const [first, second] = [
        await acquire(tenant, "l", "a", 60_000),
        await acquire(tenant, "l", "b", 60_000),
      ];
      expect(first).toMatchObject({ owner: "a", fence: 1 });
      expect(second).toBeUndefined();
      expect(await acquire(other, "l", "b", 60_000)).toMatchObject({ owner: "b" });
      expect(await acquire(tenant, "l", "a", 60_000)).toMatchObject({ fence: 1 });
      expect(await renew(tenant, "l", "a", 60_000)).toBe(true);
      expect(await renew(tenant, "l", "b", 60_000)).toBe(false);
      expect(await release(tenant, "l", "b")).toBe(false);
      expect(await release(tenant, "l", "a")).toBe(true);
      expect(await release(tenant, "l", "a")).toBe(false);
      expect(await renew(tenant, "l", "a", 60_000)).toBe(false);
      expect(await acquire(tenant, "l", "b", 60_000)).toMatchObject({ owner: "b", fence: 2 });
    });

    it("go to exactly one of many who ask at once", async () => {
      const [tenant] = tenants();
      for (let round = 0; round < 5; round++) {
        const all = await Promise.all(
          Array.from({ length: 12 }, (_, i) =>
            context.store.leases.acquire(tenant, `l${round}`, `o${i}`, 60_000),
          ),
        );
        expect(all.filter((lease) => lease !== undefined)).toHaveLength(1);
      }
    });

    it("end by themselves, and the next owner can be told from the last", async () => {
      const [tenant] = tenants();
      const { acquire, renew, release } = context.store.leases;
      const holds = async (ms: number) => {
        if (context.ownClock) context.now += ms;
        return renew(tenant, "l", "dead", 1);
      };
      await acquire(tenant, "l", "dead", 60_000);
      expect(await acquire(tenant, "l", "b", 60_000)).toBeUndefined();
      expect(await renew(tenant, "l", "dead", 1)).toBe(true);
      // However slow the machine is, a lease of a millisecond has ended at some time, and then it can't be renewed.
      await expect.poll(() => holds(1_000)).toBe(false);
      expect(await acquire(tenant, "l", "b", 60_000)).toMatchObject({ owner: "b", fence: 2 });
      expect(await renew(tenant, "l", "dead", 60_000)).toBe(false);
      expect(await release(tenant, "l", "dead")).toBe(false);
    });
  });
}

export function describeStreams(context: ContractContext): void {
  const { tenants } = context;
  describe("streams", () => {
    it("are the lines that were added, of one tenant alone", async () => {
      const [tenant, other] = tenants();
      const { add, read, remove } = context.store.streams;
      expect(await add(tenant, "s", 0, ["begin"])).toBe(true);
      expect(await add(tenant, "s", 1, ['{"text":"\\u0000"}', "two"])).toBe(true);
      expect(await read(tenant, "s", 0)).toEqual(["begin", '{"text":"\\u0000"}', "two"]);
      expect(await read(tenant, "s", 2)).toEqual(["two"]);
      expect(await read(other, "s", 0)).toEqual([]);
      expect(await add(other, "s", 3, ["stolen"])).toBe(false);
      expect(await remove(other, "s")).toBe(false);
      expect(await add(other, "s", 0, ["its own"])).toBe(true);
      expect(await remove(tenant, "s")).toBe(true);
      expect(await read(tenant, "s", 0)).toEqual([]);
      expect(await add(tenant, "s", 3, ["late"])).toBe(false);
      expect([await read(tenant, "s", 0), await read(other, "s", 0)]).toEqual([[], ["its own"]]);
    });

    it("go on by one of many who add a line at once, and are read in parts", async () => {
      const [tenant] = tenants();
      const { add, read } = context.store.streams;
      const many = Array.from({ length: 1_500 }, (_, number) => `line ${number}`);
      expect(await add(tenant, "s", 0, many)).toBe(true);
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, one) => add(tenant, "s", 1_500, [`from ${one}`])),
      );
      expect(all.filter((isNext) => isNext)).toHaveLength(1);
      expect(await read(tenant, "s", 0)).toEqual(many.slice(0, 100));
      expect(await read(tenant, "s", 0, 1)).toEqual(["line 0"]);
      expect(await read(tenant, "s", 1_450)).toEqual([
        ...many.slice(1_450),
        expect.stringMatching(/^from \d$/),
      ]);
    });

    it("leave with conversations that are as old", async () => {
      const [tenant] = tenants();
      await begin(tenant, ["a", "b", "c"]);
      await context.store.streams.add(tenant, "a", 1, ["more"]);
      await context.store.upkeep.sweep({ tenant, conversationsMs: 1_500 });
      expect(await there(tenant, ["a", "b", "c"])).toEqual(["a", "c"]);
    });

    it("give way to a tenant's own alone, those first that were used last longest ago", async () => {
      const [tenant, other] = tenants();
      const names = Array.from({ length: STREAMS_OF_TENANT }, (_, n) => `s${n}`);
      await begin(other, ["theirs"]);
      await begin(tenant, names);
      await context.store.streams.add(tenant, "s0", 1, ["more"]);
      await begin(tenant, ["new", "newer"]);
      expect(await there(tenant, [...names, "new", "newer"])).toEqual([
        "s0",
        ...names.slice(3),
        "new",
        "newer",
      ]);
      expect(await there(other, ["theirs"])).toEqual(["theirs"]);
    });
  });

  /** Each is begun a second after the one before. */
  async function begin(tenant: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      await context.store.streams.add(tenant, name, 0, ["begin"]);
      context.now += 1_000;
    }
  }

  async function there(tenant: string, names: readonly string[]): Promise<string[]> {
    const lines = await Promise.all(names.map((name) => context.store.streams.read(tenant, name, 0, 1)));
    return names.filter((_, at) => lines[at]!.length > 0);
  }
}

/** Rows of learned values that a tenant may have. */
const MOST_LEARNED = 1_000;

export function describeLearned(context: ContractContext): void {
  describe("learned values", () => {
    it("of a tenant that makes up names push out its own alone", async () => {
      const [tenant, other] = context.tenants();
      const { learned } = context.store;
      const since = context.now;
      const of = (tenant: string, model: string): LearnedValue => ({
        tenant,
        upstream: "there",
        model,
        kind: "window",
        value: {},
        at: ++context.now,
      });
      const [everybodys, others] = [of("", "m"), of(other, "m")];
      await learned.put([everybodys, others]);
      const made = Array.from({ length: MOST_LEARNED + 2 }, (_, n) => of(tenant, `model ${n}`));
      await learned.put(made.slice(0, 2));
      await learned.put(made.slice(2));
      expect(await learned.list(since)).toEqual([...made.slice(2).toReversed(), others, everybodys]);
    });

    it("stand once by their names, the newest first, for 30 days", async () => {
      const { learned, upkeep } = context.store;
      const since = context.now;
      const value = (model: string, kind: string, number: number): LearnedValue => ({
        tenant: "",
        upstream: "there",
        model,
        kind,
        value: { number },
        at: ++context.now,
      });
      const window = value("m", "window", 1);
      const cache = value("m", "cache", 2);
      await learned.put([window, cache]);
      const newer = value("m", "window", 3);
      const other = value("other\u0000model", "window", 4);
      await learned.put([newer, other]);
      const found = await learned.list(since);
      expect(found).toEqual([{ ...other, model: "othermodel" }, newer, cache]);
      expect(await learned.list(cache.at)).toHaveLength(2);
      context.now += 30 * DAY_MS;
      await upkeep.sweep();
      expect(await learned.list(since)).toHaveLength(1);
      context.now += 1;
      await upkeep.sweep();
      expect(await learned.list(since)).toEqual([]);
    });
  });
}

export function describeClientKeys(context: ContractContext): void {
  const { tenants } = context;
  describe("client keys", () => {
    it("are known by their hash alone", async () => {
      const [tenant, other] = tenants();
      const { key, clientKey } = await context.store.clientKeys.create(tenant, {
        name: "laptop",
        limits: { requestsPerMinute: 10 },
      });
      expect(key).toMatch(/^precis_[0-9a-f]{64}$/);
      expect(await context.store.clientKeys.verify(key)).toEqual({ ...clientKey, lastUsedAt: context.now });
      expect(await context.store.clientKeys.verify(`${key}x`)).toBeUndefined();
      expect(await context.store.clientKeys.list(tenant)).toEqual([
        { ...clientKey, lastUsedAt: context.now },
      ]);
      expect(await context.store.clientKeys.list(other)).toEqual([]);
      let exported = "";
      for await (const line of context.store.upkeep.exportAll({ tenant })) exported += line;
      expect(exported).toContain("laptop");
      expect(exported).not.toContain(key);
    });

    it("end when they are revoked or have expired", async () => {
      const [tenant, other] = tenants();
      const one = await context.store.clientKeys.create(tenant, { name: "a" });
      context.now += 1;
      const two = await context.store.clientKeys.create(tenant, {
        name: "b",
        expiresAt: context.now + 1_000,
      });
      expect(await context.store.clientKeys.revoke(other, one.clientKey.id)).toBe(false);
      expect(await context.store.clientKeys.revoke(tenant, one.clientKey.id)).toBe(true);
      expect(await context.store.clientKeys.verify(one.key)).toBeUndefined();
      expect(await context.store.clientKeys.verify(two.key)).toBeDefined();
      context.now += 1_000;
      expect(await context.store.clientKeys.verify(two.key)).toBeUndefined();
      expect((await context.store.clientKeys.list(tenant)).map((key) => key.revokedAt !== undefined)).toEqual(
        [true, false],
      );
    });
  });
}

import { describe, expect, it } from "vitest";
import type { ContractContext } from "./context.ts";

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

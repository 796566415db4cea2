import { describe, expect, it } from "vitest";
import type { ContractContext } from "./context.ts";

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

import fc from "fast-check";
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { quickCounter, quickGauge, quickHistogram } from "./quick-metrics.ts";

const BUCKETS = [0.001, 0.1, 1, 30];
const of = (name: string) => ({ name, help: `Help of ${name}.` });

test("whatever happens, they say what prom-client's own ones say", async () => {
  const things = fc.oneof(
    fc.double({ min: -1, max: 100, noNaN: true }),
    fc.constantFrom(...BUCKETS),
    fc.tuple(fc.constantFrom("chat", "messages"), fc.constantFrom("2xx", "4xx")),
    fc.constantFrom("in", "out", "ask"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(things, { maxLength: 40 }), async (happened) => {
      const [registry, own] = [new Registry(), new Registry()];
      const quick = {
        seconds: quickHistogram({ registry, ...of("seconds"), buckets: BUCKETS }),
        requests: quickCounter({ registry, ...of("requests"), labels: ["api", "status"] }),
        active: quickGauge({ registry, ...of("active") }),
      };
      const registers = [own];
      const seconds = new Histogram({ ...of("seconds"), buckets: BUCKETS, registers });
      const requests = new Counter({ ...of("requests"), labelNames: ["api", "status"], registers });
      const active = new Gauge({ ...of("active"), registers });
      for (const one of happened) {
        if (typeof one === "number") {
          quick.seconds.observe(one);
          seconds.observe(one);
        } else if (Array.isArray(one)) {
          quick.requests.add(...one);
          requests.labels(...one).inc();
        } else if (one === "ask") expect(await registry.metrics()).toBe(await own.metrics());
        else {
          quick.active.add(one === "in" ? 1 : -1);
          active.inc(one === "in" ? 1 : -1);
        }
      }
      expect(await registry.metrics()).toBe(await own.metrics());
      // As the metrics of several processes are put together.
      const together = async (one: Registry) => {
        const json = await one.getMetricsAsJSON();
        return AggregatorRegistry.aggregate([json, json]).metrics();
      };
      expect(await together(registry)).toBe(await together(own));
    }),
    { numRuns: 200 },
  );
});

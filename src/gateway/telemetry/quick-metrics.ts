import { Counter, Gauge, type Metric, type Registry } from "prom-client";

/**
 * Metrics that every request adds to. prom-client finds a bucket or a set of labels by its name each time, which was a part of a
 * request that could be seen; these count plainly and have the names ready when somebody asks.
 */

interface Named {
  readonly registry: Registry;
  readonly name: string;
  readonly help: string;
}

/** A histogram without labels. */
export function quickHistogram(options: Named & { readonly buckets: readonly number[] }): {
  observe(value: number): void;
} {
  const { registry, name, help, buckets } = options;
  /** By bucket; the last one is for what is larger than all of them. */
  const counts = new Float64Array(buckets.length + 1);
  let sum = 0;
  const bucket = (le: number | string, value: number) => ({
    metricName: `${name}_bucket`,
    labels: { le },
    value,
  });
  const metric = {
    name,
    async get() {
      let count = 0;
      const values = buckets.map((le, index) => {
        count += counts[index]!;
        return bucket(le, count);
      });
      count += counts[buckets.length]!;
      const whole = [
        bucket("+Inf", count),
        { metricName: `${name}_sum`, labels: {}, value: sum },
        { metricName: `${name}_count`, labels: {}, value: count },
      ];
      return { name, help, type: "histogram", aggregator: "sum", values: [...values, ...whole] };
    },
  };
  // A registry asks its metrics for nothing else.
  registry.registerMetric(metric as unknown as Metric);
  return {
    observe(value) {
      let index = 0;
      while (index < buckets.length && value > buckets[index]!) index++;
      counts[index]!++;
      sum += value;
    },
  };
}

/** A counter with a few sets of labels, each a list of their values. */
export function quickCounter<const Labels extends readonly string[]>(
  options: Named & { readonly labels: Labels },
): { add(...values: { [K in keyof Labels]: string }): void } {
  const { registry, name, help, labels } = options;
  const pending = new Map<string, number>();
  new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      for (const [key, count] of pending) this.labels(...key.split("\n")).inc(count);
      pending.clear();
    },
  });
  return {
    add(...values) {
      const key = values.join("\n");
      pending.set(key, (pending.get(key) ?? 0) + 1);
    },
  };
}

/** A gauge of what is under way. */
export function quickGauge({ registry, name, help }: Named): { add(by: 1 | -1): void } {
  let value = 0;
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value);
    },
  });
  return {
    add(by) {
      value += by;
    },
  };
}

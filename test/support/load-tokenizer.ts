import { exactCounter } from "../../src/tokens/exact-counter.ts";

await exactCounter("o200k_base");

import { setFlagsFromString } from "node:v8";

/**
 * V8 learns which objects live long and then makes their like old from the start. A server that waits for its upstream teaches it
 * wrong: whenever few requests were begun since the last collection, all of their objects are still in use. Once it has learnt
 * that, an old object of every request that is long answered holds the young ones that it names, texts included, until the
 * whole heap is looked through: three times the work for 2 KB, four times for streams, and it never unlearns.
 */
export function keepRequestsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

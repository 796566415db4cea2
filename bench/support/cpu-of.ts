import { readFileSync } from "node:fs";

/** A tick of the kernel's clock, in microseconds. */
const TICK_US = 10_000;
/** Where `utime` and `stime` stand behind the name of the program. */
const [FROM, TO] = [11, 13];

/** Processor time that a process has used with all of its threads, in microseconds. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(FROM, TO).reduce((total, ticks) => total + Number(ticks), 0) * TICK_US;
}

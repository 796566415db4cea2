import { readdirSync, readFileSync } from "node:fs";

/** A tick of the kernel's clock, in microseconds. */
const TICK_US = 10_000;
/** Where `utime` and `stime` stand behind the name of the program, then the same of children that have ended. */
const [FROM, OWN, ENDED] = [11, 13, 15];

/** The words of a file of `/proc` from the program's state on, and its name. */
function statOf(pid: number): { readonly name: string; readonly fields: readonly string[] } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const end = stat.lastIndexOf(")");
  return { name: stat.slice(stat.indexOf("(") + 1, end), fields: stat.slice(end + 2).split(" ") };
}

const sum = (ticks: readonly string[]): number =>
  ticks.reduce((total, one) => total + Number(one), 0) * TICK_US;

/** Processor time that a process has used with all of its threads, in microseconds. */
export const cpuOf = (pid: number): number => sum(statOf(pid).fields.slice(FROM, OWN));

/** The ids of all processes. */
export const processes = (): number[] =>
  readdirSync("/proc")
    .filter((one) => /^\d+$/.test(one))
    .map(Number);

/** Processor time of processes and of those that they started and that have ended, in microseconds. */
export function cpuOfThose(isMeant: (name: string, pid: number) => boolean): number {
  return processes().reduce((total, pid) => {
    try {
      const { name, fields } = statOf(pid);
      return isMeant(name, pid) ? total + sum(fields.slice(FROM, ENDED)) : total;
    } catch {
      // It ended meanwhile.
      return total;
    }
  }, 0);
}

/** Processor time of everything that runs on this machine, in microseconds. */
export const cpuOfAll = (): number => sum(readFileSync("/proc/stat", "utf8").split(/\s+/).slice(1, 4));

const US_PER_MS = 1_000;

/**
 * Milliseconds of work that a function costs this process. A clock would also count what other programs do on a busy
 * machine, and a test that fails there says nothing.
 */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / US_PER_MS;
}

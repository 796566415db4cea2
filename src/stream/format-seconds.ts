const MINUTE = 60;
const HOUR = 3_600;

/** 7.9 → `7.9 seconds`, 725 → `12 minutes 5 seconds`, 3600 → `1 hour`. */
export function formatSeconds(seconds: number): string {
  // The tenth is rounded first, so that 59.96 is a minute and not 60.0 seconds.
  const tenths = Math.round(Math.max(0, seconds) * 10) / 10;
  if (tenths < MINUTE) return plural(tenths, "second");
  const whole = Math.round(tenths);
  const parts: [number, string][] = [
    [Math.floor(whole / HOUR), "hour"],
    [Math.floor((whole % HOUR) / MINUTE), "minute"],
    [whole % MINUTE, "second"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, name]) => plural(count, name))
    .join(" ");
}

export const plural = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;

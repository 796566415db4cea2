import type { StreamOptions } from "./stream-replay.ts";

/** A recorded stream that is looked at in this tab. A recording that the browser has no room for is kept by its name only. */
export interface KeptRecording {
  readonly name: string;
  readonly text?: string;
  readonly options: StreamOptions;
}

type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

const KEY = "precis.recording";

/** Keeps a recording over reloads of this tab. */
export function keepRecording(
  recording: Required<KeptRecording>,
  storage: Storage | undefined = globalThis.sessionStorage,
): void {
  const { name, options } = recording;
  try {
    storage?.setItem(KEY, JSON.stringify(recording));
  } catch {
    try {
      storage?.setItem(KEY, JSON.stringify({ name, options } satisfies KeptRecording));
    } catch {
      storage?.removeItem(KEY);
    }
  }
}

export function readRecording(
  storage: Storage | undefined = globalThis.sessionStorage,
): KeptRecording | undefined {
  try {
    return JSON.parse(storage?.getItem(KEY) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

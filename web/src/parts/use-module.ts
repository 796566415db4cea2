import { useEffect, useState } from "react";

/** Modules that came, by how they are asked for. */
const here = new Map<() => Promise<unknown>, unknown>();

/** A module that is fetched only where it is wanted; undefined until it is there, and where it can't be fetched. */
export function useModule<M>(load: () => Promise<M>, isWanted = true): M | undefined {
  const [, setCame] = useState(here.has(load));
  useEffect(() => {
    if (!isWanted || here.has(load)) return;
    load().then(
      (module) => {
        here.set(load, module);
        setCame(true);
      },
      // What it would have made better is there without it.
      () => {},
    );
  }, [load, isWanted]);
  return here.get(load) as M | undefined;
}

import { type ComponentType, useEffect, useState } from "react";
import { routes } from "../../../src/gateway/api.ts";
import { ApiFailure } from "../state/api-client.ts";
import { strings } from "../strings.ts";
import { Button } from "./controls.tsx";
import { useApp } from "./use-store.ts";

const reload = () => location.reload();

/** A view whose script comes when it is first looked at. React's own `lazy` can't tell a server that is away from a fault. */
export function lazyView<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  let known: ComponentType<P> | undefined;
  return function LazyView(props: P) {
    const { api, live } = useApp();
    const [, setLoaded] = useState(false);
    const [failure, setFailure] = useState<{ readonly error: unknown; readonly isAway: boolean }>();
    useEffect(() => {
      if (known !== undefined) return;
      load().then(
        (found) => {
          known = found.default;
          setLoaded(true);
        },
        async (error: unknown) => {
          const isAway = await api.call(routes.status).then(
            () => false,
            (cause: unknown) => cause instanceof ApiFailure && cause.code === "offline",
          );
          setFailure({ error, isAway });
        },
      );
    }, [api]);
    useEffect(() => {
      if (!failure?.isAway) return undefined;
      // A browser may remember that a script didn't come, and not ask for it again: the whole page is loaded anew.
      return live.store.subscribe(() => {
        if (live.store.get().connection === "open") reload();
      });
    }, [live, failure]);
    if (known !== undefined) {
      const View = known;
      return <View {...props} />;
    }
    if (failure === undefined) return <p className="empty">{strings.loading}</p>;
    if (!failure.isAway) throw failure.error;
    return (
      <div className="empty" role="status">
        <h1>{strings.errors.offline}</h1>
        <p>{strings.errors.offlineFix}</p>
        <Button onClick={reload}>{strings.errors.reload}</Button>
      </div>
    );
  };
}

import { type ComponentType, useEffect, useState } from "react";
import { routes } from "../../../src/gateway/api.ts";
import { ApiFailure } from "../state/api-client.ts";
import type { App } from "../state/app.ts";
import { loadView, type Surroundings } from "../state/load-view.ts";
import { strings } from "../strings.ts";
import { useApp } from "./use-store.ts";

/** Before the same is tried again over a connection that seems to be there. */
const AGAIN_MS = 1_000;

/** A view whose script comes when it is first looked at. React's own `lazy` would remember a failure for good. */
export function lazyView<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  let known: ComponentType<P> | undefined;
  return function LazyView(props: P) {
    const app = useApp();
    const [isAway, setAway] = useState(false);
    const [failure, setFailure] = useState<{ readonly error: unknown }>();
    const [, setLoaded] = useState(known !== undefined);
    useEffect(() => {
      if (known !== undefined) return undefined;
      const left = new AbortController();
      loadView(
        load,
        surroundingsOf(app, () => setAway(true)),
        left.signal,
      ).then(
        (found) => {
          if (found === undefined) return;
          known = found.default;
          if (!left.signal.aborted) setLoaded(true);
        },
        (error: unknown) => {
          if (!left.signal.aborted) setFailure({ error });
        },
      );
      return () => left.abort();
    }, [app]);
    if (failure !== undefined) throw failure.error;
    const View = known;
    if (View !== undefined) return <View {...props} />;
    if (!isAway) return <p className="empty">{strings.loading}</p>;
    return (
      <div className="empty" role="status">
        <h1>{strings.errors.offline}</h1>
        <p>{strings.errors.offlineFix}</p>
      </div>
    );
  };
}

function surroundingsOf({ api, live }: App, onAway: () => void): Surroundings {
  return {
    isReachable: () =>
      api.call(routes.status).then(
        () => true,
        (error: unknown) => !(error instanceof ApiFailure && error.code === "offline"),
      ),
    isBack: () =>
      new Promise((resolve) => {
        if (live.store.get().connection === "open") {
          setTimeout(resolve, AGAIN_MS);
          return;
        }
        const stop = live.store.subscribe(() => {
          if (live.store.get().connection !== "open") return;
          stop();
          resolve();
        });
      }),
    onAway,
    reload: () => location.reload(),
  };
}

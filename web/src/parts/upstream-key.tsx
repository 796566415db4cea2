import { useState } from "react";
import { strings } from "../strings.ts";
import { Button, Form, Notice } from "./controls.tsx";
import { useApp, usePiece, useStore } from "./use-store.ts";

const words = strings.upstreamKey;

/** Servers of models that want a key and have none, each with a box to give it one. */
export function WantedKeys() {
  const problems = usePiece(useApp().store, (state) => state.models?.problems);
  return problems?.map(({ upstream, wantsKey }) =>
    wantsKey ? <UpstreamKey key={upstream} upstream={upstream} isWanted /> : null,
  );
}

/** Takes the key of an upstream that has none on the server. It stays in this tab. */
export function UpstreamKey({ upstream, isWanted = false }: { upstream: string; isWanted?: boolean }) {
  const app = useApp();
  const { upstreams } = useStore(app.clientKey.store);
  const address = usePiece(
    app.store,
    ({ status }) => status?.upstreams.find(({ name }) => name === upstream)?.baseURL,
  );
  const [text, setText] = useState("");
  const [isTrying, setTrying] = useState(false);
  const isGiven = upstreams.includes(upstream);
  const named = address === undefined ? upstream : words.named(upstream, new URL(address).host);
  const id = `key-of-${upstream}`;
  return (
    <>
      {isWanted ? (
        <Notice
          kind="warn"
          icon="warn"
          title={isGiven ? words.unknown(named) : words.wanted(named)}
          help={words.without}
          role="status"
        />
      ) : null}
      <Form
        className="form upstream-key"
        onSubmit={() => {
          setTrying(true);
          setText("");
          void app.giveUpstreamKey(upstream, text).finally(() => setTrying(false));
        }}
      >
        <label>
          {words.label(named)}
          <input
            type="password"
            autoComplete="off"
            value={text}
            aria-describedby={id}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <p id={id} className="help">
          {words.help(upstream)}
        </p>
        <div className="row end">
          {isGiven ? (
            <Button disabled={isTrying} onClick={() => void app.giveUpstreamKey(upstream, "")}>
              {words.forget}
            </Button>
          ) : null}
          <Button look="button primary" type="submit" disabled={isTrying || text.trim() === ""}>
            {words.go}
          </Button>
        </div>
      </Form>
    </>
  );
}

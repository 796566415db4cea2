import { useState } from "react";
import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";
import { useApp, useStore } from "./use-store.ts";

const words = strings.clientKey;

/** Where the key of a shared server is given; nothing on a server that wants none. */
export function ClientKeySection() {
  const app = useApp();
  const { wanted, given } = useStore(app.clientKey.store);
  const [text, setText] = useState("");
  const [isTrying, setTrying] = useState(false);
  if (!wanted && !given) return null;
  return (
    <section className="settings-group" aria-labelledby="client-key-title">
      <h2 id="client-key-title">{words.title}</h2>
      {wanted ? (
        <>
          <div className="notice warn" role="alert">
            <Icon name="warn" />
            <div>
              <strong>{given ? words.unknown : words.wanted}</strong>
              <small>{words.how}</small>
            </div>
          </div>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              setTrying(true);
              void app.giveKey(text).finally(() => setTrying(false));
            }}
          >
            <label>
              {words.label}
              <input
                type="password"
                autoComplete="off"
                value={text}
                aria-describedby="client-key-help"
                onChange={(event) => setText(event.target.value)}
              />
            </label>
            <p id="client-key-help" className="help">
              {words.help}
            </p>
            <div className="row end">
              <button type="submit" className="button primary" disabled={isTrying || text.trim() === ""}>
                {words.go}
              </button>
            </div>
          </form>
        </>
      ) : (
        <div className="row">
          <p className="help">{words.inUse}</p>
          <button type="button" className="button" onClick={() => void app.giveKey("")}>
            {words.forget}
          </button>
        </div>
      )}
    </section>
  );
}

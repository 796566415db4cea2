import { useState } from "react";
import { strings } from "../strings.ts";
import { Button, Form, Notice } from "./controls.tsx";
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
          <Notice
            kind="warn"
            icon="warn"
            title={given ? words.unknown : words.wanted}
            help={words.how}
            role="alert"
          />
          <Form
            className="form"
            onSubmit={() => {
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
              <Button look="button primary" type="submit" disabled={isTrying || text.trim() === ""}>
                {words.go}
              </Button>
            </div>
          </Form>
        </>
      ) : (
        <div className="row">
          <p className="help">{words.inUse}</p>
          <Button onClick={() => void app.giveKey("")}>{words.forget}</Button>
        </div>
      )}
    </section>
  );
}

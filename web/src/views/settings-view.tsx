import { useState } from "react";
import { Button, Form, Notice, ScrollArea } from "../parts/controls.tsx";
import { ModelsSection } from "../parts/models-section.tsx";
import { SettingsForm } from "../parts/settings-form.tsx";
import { useApp, useStore } from "../parts/use-store.ts";
import { strings } from "../strings.ts";

export default function SettingsView() {
  const app = useApp();
  const { settings, models } = useStore(app.store);
  const words = strings.settings;
  const windows = models?.models.map(({ window }) => window) ?? [];
  const largestWindow = windows.length === 0 ? undefined : Math.max(...windows);
  const { wanted } = useStore(app.clientKey.store);
  if (settings === undefined || wanted)
    return wanted ? (
      <ScrollArea className="page narrow-page" label={words.title}>
        <h1>{words.title}</h1>
        <ClientKeySection />
      </ScrollArea>
    ) : (
      <p className="empty">{strings.loading}</p>
    );
  return (
    <ScrollArea className="page narrow-page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <ClientKeySection />
      <ModelsSection />
      <SettingsForm
        groups={["answers", "compaction", "page"]}
        scope="global"
        levels={{ answer: settings }}
        modelWindow={largestWindow}
        onChange={app.changeSettings}
      />
    </ScrollArea>
  );
}

const words = strings.clientKey;

/** Where the key of a shared server is given; nothing on a server that wants none. */
function ClientKeySection() {
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

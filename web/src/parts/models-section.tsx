import { useState } from "react";
import { type NewUpstream, routes, type UpstreamTest } from "../../../src/gateway/api.ts";
import { isAddress, isBegunAddress } from "../state/server-address.ts";
import { strings } from "../strings.ts";
import { Button, Form, IconButton } from "./controls.tsx";
import { UpstreamKey } from "./upstream-key.tsx";
import { useLoaded } from "./use-loaded.ts";
import { useApp, useStore } from "./use-store.ts";

const words = strings.models;

/** The servers whose models are used, those that run on this machine, and a form for any other. */
export function ModelsSection() {
  const app = useApp();
  const { status, models } = useStore(app.store);
  const { upstreams: given } = useStore(app.clientKey.store);
  if (status === undefined) return null;
  return (
    <section className="settings-group models" aria-labelledby="models-title">
      <h2 id="models-title">{words.title}</h2>
      <p className="help">
        {status.hasUpstream ? words.lead : words.none} {words.paid}
      </p>
      <ul className="servers">
        {status.upstreams.map(({ name, baseURL, keys, isOwn }) => {
          const isWanted = models?.problems.some((one) => one.upstream === name && one.wantsKey) ?? false;
          return (
            <li key={name}>
              <div>
                <strong>{name}</strong>
                <small>
                  {baseURL} · {words.keys[keys === "client" && given.includes(name) ? "here" : keys]}
                  {isOwn ? "" : ` · ${words.byConfig}`}
                </small>
              </div>
              {isOwn ? <RemoveServer name={name} hasKey={keys === "server"} /> : null}
              {keys === "server" ? null : (
                <details className="key-box" open={isWanted}>
                  <summary>{strings.upstreamKey.give}</summary>
                  <UpstreamKey upstream={name} isWanted={isWanted} />
                </details>
              )}
            </li>
          );
        })}
      </ul>
      {status.canAddModels ? (
        <>
          <FoundServers key={status.upstreams.length} />
          <NewServer keptIn={status.store === "sqlite" ? "file" : "memory"} />
        </>
      ) : (
        <p className="help">{words.notHere}</p>
      )}
    </section>
  );
}

/** Asks first: a key that is removed can't be brought back. */
function RemoveServer({ name, hasKey }: { name: string; hasKey: boolean }) {
  const app = useApp();
  const [isAsked, setAsked] = useState(false);
  if (!isAsked) return <IconButton icon="trash" label={words.remove(name)} onClick={() => setAsked(true)} />;
  return (
    <div className="row">
      <Button look="button danger" autoFocus onClick={() => void app.removeUpstream(name)}>
        {hasKey ? words.removeWithKey : words.removeYes}
      </Button>
      <Button onClick={() => setAsked(false)}>{strings.cancel}</Button>
    </div>
  );
}

function FoundServers() {
  const app = useApp();
  const { value, isLoading } = useLoaded(() => app.api.call(routes.foundServers), [app]);
  if (isLoading) return <p className="help">{words.looking}</p>;
  const servers = value?.servers ?? [];
  if (servers.length === 0) return <p className="help">{words.nothingFound}</p>;
  return (
    <>
      <h3>{words.found}</h3>
      <ul className="servers">
        {servers.map(({ name, baseURL, models }) => (
          <li key={baseURL}>
            <div>
              <strong>{name}</strong>
              <small>
                {baseURL} · {words.count(models.length)}
              </small>
            </div>
            <Button aria-label={words.use(name)} onClick={() => void app.addUpstream({ baseURL })}>
              {words.go}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

function NewServer({ keptIn }: { keptIn: "file" | "memory" }) {
  const app = useApp();
  const [baseURL, setAddress] = useState("");
  const [apiKey, setKey] = useState("");
  const [test, setTest] = useState<UpstreamTest | "testing">();
  /** Whoever is still typing isn't told that it is wrong so far. */
  const [isTyping, setTyping] = useState(false);
  const given: NewUpstream = {
    baseURL: baseURL.trim(),
    ...(apiKey.trim() !== "" && { apiKey: apiKey.trim() }),
  };
  const isReady = isAddress(given.baseURL) && test !== "testing";
  const isBegun = isBegunAddress(given.baseURL);
  const isWrong = given.baseURL !== "" && !isAddress(given.baseURL) && !(isTyping && isBegun);
  const problem = isWrong
    ? isBegun
      ? words.noAddress
      : words.noScheme
    : test !== undefined && test !== "testing" && !test.ok
      ? `${test.message} ${test.fix}`
      : undefined;
  const tryIt = async () => {
    setTest("testing");
    setTest(await app.attempt(() => app.api.call(routes.testUpstream, { body: given })));
  };
  return (
    <Form
      className="form new-server"
      aria-label={words.add}
      onSubmit={() => {
        // It leaves the page at once; if it couldn't be added, it comes back into the box.
        setKey("");
        void app.addUpstream(given).then((isAdded) => {
          if (!isAdded) return setKey(apiKey);
          setAddress("");
          setTest(undefined);
        });
      }}
    >
      <h3>{words.add}</h3>
      <label>
        {words.address}
        <input
          type="url"
          value={baseURL}
          placeholder="https://api.openai.com/v1"
          aria-describedby="address-help"
          aria-invalid={isWrong}
          onBlur={() => setTyping(false)}
          onChange={(event) => {
            setTyping(true);
            setAddress(event.target.value);
            setTest(undefined);
          }}
        />
      </label>
      <p id="address-help" className="help">
        {words.addressHelp}
      </p>
      <label>
        {words.key}
        <input
          type="password"
          autoComplete="off"
          value={apiKey}
          aria-describedby="key-help"
          onChange={(event) => {
            setKey(event.target.value);
            setTest(undefined);
          }}
        />
      </label>
      <p id="key-help" className="help">
        {words.keyHelp[keptIn]}
      </p>
      <p role="status" className={problem === undefined ? "help" : "test-failed"}>
        {problem ??
          (test === undefined
            ? ""
            : test === "testing" || !test.ok
              ? words.testing
              : words.works(test.models.length))}
      </p>
      <div className="row end">
        <Button disabled={!isReady} onClick={() => void tryIt()}>
          {words.test}
        </Button>
        <Button look="button primary" type="submit" disabled={!isReady}>
          {words.go}
        </Button>
      </div>
    </Form>
  );
}

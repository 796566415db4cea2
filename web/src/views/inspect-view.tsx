import { useState } from "react";
import { routes, type WhatIf, type WhatIfAnswer } from "../../../src/gateway/api.ts";
import { AlignedView } from "../parts/aligned-view.tsx";
import { Button, Choice, Failure, Form } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Json } from "../parts/json.tsx";
import { TallyBar } from "../parts/tally-bar.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { useApp, usePiece } from "../parts/use-store.ts";
import { ApiFailure } from "../state/api-client.ts";
import type { Chat } from "../state/chat.ts";
import { readNumber } from "../state/read-number.ts";
import { strings } from "../strings.ts";

/** Typing a number shouldn't ask for every digit (milliseconds). */
const SETTLE_MS = 250;

export default function InspectView({ chat }: { chat: Chat }) {
  const app = useApp();
  const version = usePiece(chat.store, (state) => state.version);
  const params = { id: chat.id };
  const [whatIf, setWhatIf] = useState<WhatIf>({});
  const isAsked = Object.keys(whatIf).length > 0;
  const now = useLoaded(() => app.api.call(routes.view, { params }), [app, chat], { news: version });
  const other = useLoaded(
    () => (isAsked ? app.api.call(routes.whatIf, { params, body: whatIf }) : undefined),
    [app, chat, whatIf],
    { settleMs: isAsked ? SETTLE_MS : 0, news: version },
  );
  const [isRequestOpen, setRequestOpen] = useState(false);
  const tried = isAsked ? other.value : undefined;
  const shown = tried ?? now.value;
  const { error, isLoading } = isAsked ? other : now;
  const pressure = usePiece(chat.store, (state) => state.pressure);
  const isWithoutWindow = pressure?.isOpen && shown?.budget.budget === pressure.budget.budget;
  return (
    <div className="inspect">
      <WhatIfBar whatIf={whatIf} onTry={setWhatIf} />
      <div className="inspect-facts" aria-live="polite" aria-busy={isLoading}>
        {error !== undefined ? (
          <Failure
            error={error}
            title={
              error instanceof ApiFailure && error.code === "budget-impossible"
                ? strings.inspect.impossible
                : undefined
            }
          />
        ) : shown === undefined ? null : (
          <>
            <div className="inspect-numbers">
              {tried === undefined ? <span>{strings.inspect.nextRequest}</span> : null}
              <strong>{strings.inspect.result(shown.tokens.transcript, shown.tokens.after)}</strong>
              {isWithoutWindow ? null : <span>{strings.inspect.ofBudget(shown.pressure.after)}</span>}
              {tried !== undefined ? (
                <TriedFacts tried={tried} />
              ) : shown.outcome === "compacted" ? (
                <span>{strings.inspect.compactedFirst(shown.tokens.before)}</span>
              ) : null}
            </div>
            <TallyBar view={shown} />
          </>
        )}
        <Button icon="copy" onClick={() => setRequestOpen(true)}>
          {strings.inspect.request}
        </Button>
      </div>
      {shown === undefined ? (
        <p className="empty">{error === undefined ? strings.loading : ""}</p>
      ) : (
        <AlignedView
          view={shown}
          transcript={chat.transcript}
          {...(!isAsked && { onPin: (index: number, on: boolean) => void chat.pin(index, on) })}
        />
      )}
      {isRequestOpen ? <RequestDialog chat={chat} onClose={() => setRequestOpen(false)} /> : null}
    </div>
  );
}

function TriedFacts({ tried }: { tried: WhatIfAnswer }) {
  const words = strings.inspect;
  return (
    <>
      <span>
        {tried.isJustCompacted
          ? strings.compaction.justCompacted
          : tried.due === undefined
            ? words.notDue
            : words.due(tried.due)}
      </span>
      {tried.calls.length === 0 ? null : <span>{words.calls(tried.calls.length)}</span>}
      {tried.due === undefined || tried.rungs.length === 0 ? null : (
        <span title={words.rungs}>
          {tried.rungs
            .map(({ rung, result }) => `${strings.rungs[rung]}: ${words.rungResult[result]}`)
            .join(" → ")}
        </span>
      )}
    </>
  );
}

function WhatIfBar({ whatIf, onTry }: { whatIf: WhatIf; onTry: (whatIf: WhatIf) => void }) {
  const app = useApp();
  const settings = usePiece(app.store, (state) => state.settings);
  const [window, setWindow] = useState("");
  const words = strings.inspect;
  const read = window.trim() === "" ? undefined : readNumber("tokens", window);
  const wrong = read && "wrong" in read ? read.wrong : undefined;
  const change = (changes: { [K in keyof WhatIf]: WhatIf[K] | undefined }) => {
    const merged = Object.entries({ ...whatIf, ...changes }).filter(
      ([, value]) => value !== undefined && value !== false,
    );
    onTry(Object.fromEntries(merged) as WhatIf);
  };
  return (
    <Form className="what-if" aria-label={words.whatIf}>
      <div className="what-if-title">
        <strong>{words.whatIf}</strong>
        <small>{words.whatIfHelp}</small>
      </div>
      <label>
        {words.window}
        <input
          list="windows"
          inputMode="numeric"
          size={9}
          placeholder={words.windowPlaceholder}
          value={window}
          aria-invalid={wrong !== undefined}
          aria-describedby={wrong ? "what-if-wrong" : undefined}
          onChange={(event) => {
            setWindow(event.target.value);
            const typed = readNumber("tokens", event.target.value);
            change({ window: "value" in typed ? typed.value : undefined });
          }}
        />
        <datalist id="windows">
          {["8k", "16k", "32k", "64k", "128k", "200k", "1m"].map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      </label>
      <Choice
        label={words.strategy}
        none={words.asNow}
        values={settings?.strategies.map(({ name }) => [name, strings.strategies[name].label] as const) ?? []}
        chosen={whatIf.strategy}
        onChoose={(strategy) => change({ strategy })}
      />
      <Choice
        label={words.profile}
        none={words.asNow}
        values={settings?.profiles.map((name) => [name, strings.settings.profiles[name]] as const) ?? []}
        chosen={whatIf.profile}
        onChoose={(profile) => change({ profile })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={whatIf.force ?? false}
          onChange={(event) => change({ force: event.target.checked || undefined })}
        />
        {words.force}
      </label>
      {wrong ? (
        <p id="what-if-wrong" className="wrong" role="alert">
          {wrong.message} {wrong.fix}
        </p>
      ) : null}
      <Button
        look="link"
        disabled={Object.keys(whatIf).length === 0 && !wrong}
        onClick={() => {
          setWindow("");
          onTry({});
        }}
      >
        {words.reset}
      </Button>
    </Form>
  );
}

function RequestDialog({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const app = useApp();
  const { value: request, error } = useLoaded(
    () => app.api.call(routes.request, { params: { id: chat.id } }),
    [app, chat],
  );
  return (
    <Dialog title={strings.inspect.requestTitle} onClose={onClose} side>
      {request === undefined ? (
        error === undefined ? (
          <p className="help">{strings.loading}</p>
        ) : (
          <Failure error={error} />
        )
      ) : (
        <>
          <p className="help">
            <code>
              {request.method} {request.path}
            </code>{" "}
            {strings.inspect.requestLead(request.bytes, request.tokens)}
          </p>
          <Json label={strings.inspect.requestTitle} value={request.body} />
        </>
      )}
    </Dialog>
  );
}

import { type ReactNode, useState } from "react";
import { Composer } from "../parts/composer.tsx";
import { Button, Choice, ScrollArea } from "../parts/controls.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { WantedKeys } from "../parts/upstream-key.tsx";
import { useApp, usePiece } from "../parts/use-store.ts";
import { modelTexts } from "../state/model-texts.ts";
import { strings } from "../strings.ts";

/** Small enough that the examples need compaction. */
const EXAMPLE_WINDOW = 32_000;

const EXAMPLES = {
  coding: "coding-session.jsonl",
  retrieval: "retrieval-chat.json",
  stream: "bicycle-repair.jsonl",
} as const;

export function HomeView({ onFile }: { onFile: () => void }) {
  const app = useApp();
  const status = usePiece(app.store, (state) => state.status);
  const models = usePiece(app.store, (state) => state.models);
  const usual = usePiece(app.store, (state) => state.settings?.settings.model);
  const [chosen, setChosen] = useState<string>();
  const model = chosen ?? usual ?? models?.models[0]?.id;
  const words = strings.home;
  const isOffline = status?.hasUpstream === false;
  const openExample = (name: keyof typeof EXAMPLES) => () =>
    void app.openExample(EXAMPLES[name], { title: words.titles[name], window: EXAMPLE_WINDOW });
  return (
    <ScrollArea className="home" label={words.title}>
      <div className="home-inner">
        <header>
          <div>
            <h1>{words.title}</h1>
            <p className="lead">{words.lead}</p>
          </div>
          <Sketch />
        </header>
        <WantedKeys />
        {status === undefined || isOffline ? null : (
          <Composer
            id="home"
            placeholder={words.ask(model)}
            onSend={async (input) => {
              const conversation = await app.newChat(chosen === undefined ? {} : { model: chosen });
              if (conversation === undefined) return false;
              void app.chat(conversation.id).send(input);
              return true;
            }}
          >
            {models === undefined || models.models.length < 2 ? null : (
              <Choice
                className="model"
                isBrief
                label={strings.chat.model}
                values={[...modelTexts(models)]}
                chosen={model}
                onChoose={setChosen}
              />
            )}
          </Composer>
        )}
        <Group title={words.examples}>
          <Card icon="tool" title={words.coding} help={words.codingHelp} act={openExample("coding")} />
          <Card
            icon="search"
            title={words.retrieval}
            help={words.retrievalHelp}
            act={openExample("retrieval")}
          />
          <Card icon="frames" title={words.stream} help={words.streamHelp} act={openExample("stream")} />
        </Group>
        {isOffline ? (
          <Group title={words.connect} help={strings.offline.how}>
            <Card
              icon="gateway"
              title={strings.models.open}
              help={words.connectHelp}
              act={() => app.router.go({ page: "settings" })}
              isMain
            />
          </Group>
        ) : null}
        <Group title={words.open}>
          <Card icon="file" title={words.file} help={words.fileHelp} act={onFile} />
        </Group>
        {isOffline ? (
          <p className="help">
            <Button look="link" onClick={() => void app.newChat()}>
              {words.start}
            </Button>{" "}
            {words.startOffline}
          </p>
        ) : null}
      </div>
    </ScrollArea>
  );
}

function Group({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      <div className="cards">{children}</div>
      {help === undefined ? null : <p className="help">{help}</p>}
    </section>
  );
}

function Card(props: { icon: IconName; title: string; help: string; act: () => void; isMain?: boolean }) {
  const { icon, title, help, act, isMain = false } = props;
  return (
    <button type="button" className={`card ${isMain ? "main" : ""}`} onClick={act}>
      <span className="card-icon">
        <Icon name={icon} size={20} />
      </span>
      <span>
        <strong>{title}</strong>
        <small>{help}</small>
      </span>
    </button>
  );
}

/** Transcript on the left, view on the right: the idea in one picture. */
function Sketch() {
  const lines = [62, 88, 74, 90, 52, 81, 68, 46, 77];
  const bar = (x: number, y: number, width: number, isOld = false) => (
    <rect key={y} x={x} y={y} width={width} height="6" rx="3" fill={isOld ? OLD : NEW} opacity={0.6} />
  );
  return (
    <svg className="sketch" viewBox="0 0 300 112" aria-hidden="true" fill="none" strokeDasharray="3 3">
      {lines.map((width, n) => bar(8, 6 + n * 11.5, width, n < 6))}
      <path stroke={OLD} d="M112 8 C150 8 150 40 188 40 M112 68 C150 68 150 50 188 50" />
      <path stroke={NEW} d="M112 78 C150 78 150 70 188 70 M112 104 C150 104 150 98 188 98" />
      <rect fill={OLD} x="192" y="38" width="96" height="14" rx="7" />
      {[68, 46, 77].map((width, n) => bar(192, 67 + n * 13, width))}
    </svg>
  );
}

const OLD = "var(--covered)";
const NEW = "var(--accent)";

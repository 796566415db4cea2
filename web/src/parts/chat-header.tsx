import { useState } from "react";
import type { ApiConversation } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { modelTexts } from "../state/model-texts.ts";
import type { ChatTab } from "../state/router.ts";
import { strings } from "../strings.ts";
import { ChatSettingsDialog } from "./chat-settings-dialog.tsx";
import type { CompactWish } from "./compact-dialog.tsx";
import { Choice, IconButton } from "./controls.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Meter } from "./meter.tsx";
import { PlaceLink } from "./place-link.tsx";
import { TextDialog } from "./text-dialog.tsx";
import { useApp, useAuto, usePiece, useStore } from "./use-store.ts";

const TABS: readonly { tab: ChatTab; icon: IconName }[] = [
  { tab: "chat", icon: "chat" },
  { tab: "inspect", icon: "eye" },
  { tab: "timeline", icon: "chart" },
];

export function ChatHeader(props: { chat: Chat; tab: ChatTab; onCompact: (wish: CompactWish) => void }) {
  const { chat, tab, onCompact } = props;
  const app = useApp();
  const { conversation, pressure, compacting } = useStore(chat.store);
  const settings = usePiece(app.store, (state) => state.settings);
  const [isOpen, setOpen] = useState(false);
  const [isTextOpen, setTextOpen] = useState(false);
  const showMeter = settings?.settings.showMeter ?? true;
  const auto = useAuto(chat);
  return (
    <header className="chat-header">
      <div className="chat-title">
        <h1 title={conversation?.title}>
          {conversation?.title || (conversation ? strings.sidebar.untitled : "")}
        </h1>
        <ModelPicker chat={chat} />
        {conversation?.fork === undefined ? null : <ForkOrigin fork={conversation.fork} />}
      </div>
      <IconButton icon="handover" label={strings.text.open} onClick={() => setTextOpen(true)} />
      <IconButton icon="settings" label={strings.chat.details} onClick={() => setOpen(true)} />
      <div className="chat-tools">
        <nav className="tabs" aria-label={strings.tabs.label}>
          {TABS.map(({ tab: name, icon }) => (
            <PlaceLink key={name} to={{ page: "chat", id: chat.id, tab: name }} isHere={name === tab}>
              <Icon name={icon} size={16} /> <span>{strings.tabs[name]}</span>
            </PlaceLink>
          ))}
        </nav>
        {pressure !== undefined && showMeter ? (
          <Meter pressure={pressure} isBusy={compacting !== undefined} auto={auto} />
        ) : null}
        <button
          type="button"
          className="button compact-now"
          title={strings.compaction.focusHelp}
          disabled={compacting !== undefined || conversation === undefined || conversation.messages === 0}
          onClick={() => onCompact({})}
        >
          <Icon name="fold" size={16} /> <span>{strings.meter.compactNow}</span>
        </button>
      </div>
      {isOpen && conversation !== undefined ? (
        <ChatSettingsDialog chat={chat} conversation={conversation} onClose={() => setOpen(false)} />
      ) : null}
      {isTextOpen ? <TextDialog chat={chat} onClose={() => setTextOpen(false)} /> : null}
    </header>
  );
}

/** What this conversation is a fork of, with the way there. */
function ForkOrigin({ fork: { of, length, title } }: { fork: NonNullable<ApiConversation["fork"]> }) {
  const app = useApp();
  const known = usePiece(app.conversations.store, ({ all }) => all.find(({ id }) => id === of));
  const name = known?.title || title || strings.sidebar.untitled;
  return (
    <p className="fork-of">
      <Icon name="fork" size={14} />
      <PlaceLink to={{ page: "chat", id: of, tab: "chat" }} isHere={false}>
        {strings.chat.forkOf(name)}
      </PlaceLink>
      <span>{strings.chat.forkAt(length)}</span>
    </p>
  );
}

function ModelPicker({ chat }: { chat: Chat }) {
  const app = useApp();
  const { models, status } = useStore(app.store);
  const conversation = usePiece(chat.store, (state) => state.conversation);
  if (conversation === undefined) return null;
  const texts = modelTexts(models);
  const known = [...texts.keys()];
  const current = conversation.model ?? "";
  const choices = current !== "" && !known.includes(current) ? [current, ...known] : known;
  if (status?.hasUpstream === false)
    return (
      <span className="tag" title={strings.offline.text}>
        {strings.offline.badge}
      </span>
    );
  if (choices.length === 0) return null;
  return (
    <Choice
      className="model"
      isBrief
      label={strings.chat.model}
      none={current === "" ? strings.chat.model : undefined}
      values={choices.map((id) => [id, texts.get(id) ?? id] as const)}
      chosen={current}
      onChoose={(model = "") =>
        void app.attempt(() =>
          app.conversations.change(conversation.id, { model, settings: { model: null } }),
        )
      }
    />
  );
}

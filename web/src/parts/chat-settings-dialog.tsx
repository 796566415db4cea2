import { useState } from "react";
import type { ApiConversation, ChatSettings, SettingsChange } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { compactionOf } from "../state/turns.ts";
import { strings } from "../strings.ts";
import { Button, Form } from "./controls.tsx";
import { Dialog } from "./dialog.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { useApp, usePiece, useStore } from "./use-store.ts";

export function ChatSettingsDialog(props: {
  chat: Chat;
  conversation: ApiConversation;
  onClose: () => void;
}) {
  const { chat, conversation, onClose } = props;
  const app = useApp();
  const { settings, models } = useStore(app.store);
  const words = strings.settings;
  const [isSure, setSure] = useState(false);
  const dividers = usePiece(chat.transcript.store, (state) => state.dividers);
  // Of what is there to be cleared: not what was undone, or cleared before.
  const cost = usePiece(chat.store, ({ timeline }) =>
    dividers.reduce((sum, { checkpoint }) => sum + (compactionOf(timeline, checkpoint)?.cost ?? 0), 0),
  );
  if (settings === undefined) return null;
  const model = models?.models.find(({ id }) => id === conversation.model);
  return (
    <Dialog title={words.chatTitle} onClose={onClose} side>
      <p className="help">{words.chatLead}</p>
      <SystemPromptField chat={chat} />
      <SettingsForm
        groups={["answers", "compaction"]}
        scope="chat"
        levels={{ answer: settings, chat: conversation.settings, upstream: model?.upstream }}
        modelWindow={model?.window}
        onChange={(change) => chat.configure(change as SettingsChange<ChatSettings>)}
      />
      <section className="settings-group">
        <div className="setting">
          <div className="setting-words">
            <strong>{words.clear}</strong>
            <p>{isSure ? words.clearSure(cost) : words.clearHelp}</p>
          </div>
          {isSure ? (
            <div className="row">
              <Button
                look="button danger"
                onClick={() => {
                  void chat.clearSummaries();
                  onClose();
                }}
              >
                {words.clearYes}
              </Button>
              <Button onClick={() => setSure(false)}>{words.clearNo}</Button>
            </div>
          ) : (
            <Button look="button danger" onClick={() => setSure(true)}>
              {words.clearGo}
            </Button>
          )}
        </div>
      </section>
    </Dialog>
  );
}

function SystemPromptField({ chat }: { chat: Chat }) {
  const system = usePiece(chat.transcript.store, (state) => state.system);
  const [text, setText] = useState<string>();
  const words = strings.settings;
  return (
    <Form
      className="form settings-group"
      onSubmit={() => {
        // If it isn't saved, the words stay in the box.
        void chat.setSystem(text ?? system).then((isSaved) => {
          if (isSaved) setText(undefined);
        });
      }}
    >
      <label>
        {words.system}
        <textarea
          rows={4}
          value={text ?? system}
          aria-describedby="system-help"
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <p id="system-help" className="help">
        {words.systemHelp}
      </p>
      <div className="row end">
        <Button type="submit" disabled={text === undefined || text === system}>
          {words.systemSave}
        </Button>
      </div>
    </Form>
  );
}

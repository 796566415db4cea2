import { type ClipboardEvent, type DragEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Chat } from "../state/chat-state.ts";
import { strings } from "../strings.ts";
import { CloseButton, Form, IconButton } from "./controls.tsx";
import { Icon } from "./icon.tsx";
import { useApp, usePiece } from "./use-store.ts";

/** What is typed stays here when the page is reloaded or closed, or another conversation is looked at. */
const draftKey = (id: string) => `precis.draft.${id}`;

export function Composer({ chat, isBusy, isOffline }: { chat: Chat; isBusy: boolean; isOffline: boolean }) {
  const app = useApp();
  const [text, setText] = useState(() => localStorage.getItem(draftKey(chat.id)) ?? "");
  const [images, setImages] = useState<readonly string[]>([]);
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const canSend = text.trim() !== "" || images.length > 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    if (!area.current) return;
    area.current.style.height = "auto";
    area.current.style.height = `${Math.min(area.current.scrollHeight, window.innerHeight * 0.4)}px`;
  }, [text]);
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) area.current?.focus();
  }, []);

  const write = (words: string) => {
    setText(words);
    if (words === "") localStorage.removeItem(draftKey(chat.id));
    else localStorage.setItem(draftKey(chat.id), words);
  };
  const returned = usePiece(chat.store, (state) => state.returned);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each thing that comes back
  useEffect(() => {
    if (returned === undefined) return;
    write(text.trim() === "" ? returned.text : `${returned.text}\n\n${text}`);
    setImages((before) => [...(returned.images ?? []), ...before]);
    chat.store.set({ returned: undefined });
    area.current?.focus();
  }, [returned]);
  const add = async (files: readonly File[]) => {
    const pictures = files.filter(({ type }) => type.startsWith("image/"));
    if (pictures.length < files.length)
      app.tell({ kind: "error", message: strings.composer.onlyImages, fix: strings.composer.onlyImagesFix });
    const urls = await Promise.all(pictures.map(dataUrl));
    setImages((before) => [...before, ...urls]);
  };
  const send = () => {
    if (!canSend) return;
    const input = { text, ...(images.length > 0 && { images }) };
    write("");
    setImages([]);
    void chat.send(input);
  };
  const takeFiles = (event: ClipboardEvent | DragEvent, files: FileList | undefined) => {
    const pictures = [...(files ?? [])].filter(({ type }) => type.startsWith("image/"));
    if (pictures.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    void add(pictures);
  };

  return (
    <Form
      className="composer"
      aria-label={strings.composer.label}
      onSubmit={send}
      onDrop={(event) => takeFiles(event, event.dataTransfer.files)}
    >
      <Attachments images={images} onRemove={(n) => setImages(images.filter((_, m) => m !== n))} />
      <textarea
        ref={area}
        rows={1}
        value={text}
        aria-label={strings.composer.label}
        aria-describedby="composer-hint"
        placeholder={isOffline ? strings.composer.offlinePlaceholder : strings.composer.placeholder}
        onChange={(event) => write(event.target.value)}
        onPaste={(event) => takeFiles(event, event.clipboardData.files)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            send();
          }
          if (event.key === "Escape" && isBusy) void chat.stop();
        }}
      />
      <div className="composer-tools">
        <input
          ref={picker}
          type="file"
          accept="image/*"
          multiple
          hidden
          onChange={(event) => {
            void add([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <IconButton icon="image" label={strings.composer.attach} onClick={() => picker.current?.click()} />
        <span id="composer-hint" className="hint">
          {isBusy ? strings.composer.busyHint : strings.composer.hint}
        </span>
        {isBusy ? (
          <button
            type="button"
            className="send stop"
            aria-label={strings.composer.stop}
            onClick={() => chat.stop()}
          >
            <Icon name="stop" />
          </button>
        ) : null}
        {isBusy && !canSend ? null : (
          <button
            type="submit"
            className="send"
            aria-label={isBusy ? strings.composer.sendLater : strings.composer.send}
            title={isBusy ? strings.composer.sendLater : undefined}
            disabled={!canSend}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
    </Form>
  );
}

/** The pictures that go with the message, each with a cross that takes it away. */
function Attachments({ images, onRemove }: { images: readonly string[]; onRemove: (n: number) => void }) {
  if (images.length === 0) return null;
  return (
    <ul className="attachments">
      {images.map((url, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may be attached twice
        <li key={n}>
          <img src={url} alt={strings.composer.attached(n + 1)} />
          <CloseButton label={strings.composer.removeImage(n + 1)} size={14} onClick={() => onRemove(n)} />
        </li>
      ))}
    </ul>
  );
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

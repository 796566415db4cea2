import {
  type ClipboardEvent,
  type DragEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import {
  type Attachment,
  type ChatInput,
  splitAttachments,
  withAttachments,
} from "../../../src/gateway/api.ts";
import { LONG_PASTE, readAttachment } from "../state/attachments.ts";
import { kept } from "../state/kept.ts";
import { strings } from "../strings.ts";
import { CloseButton, Form, IconButton } from "./controls.tsx";
import { Icon } from "./icon.tsx";
import { useApp } from "./use-store.ts";

/** What is typed stays here when the page is reloaded or closed, or another conversation is looked at. */
const drafts = kept<string>("draft");
const attached = kept<readonly Attachment[]>("attached");

/** Whether a longer text needs the whole height isn't measured: that takes as long as it is (characters). */
const MEASURED = 5_000;
/** What the system's dialog offers first. */
const FILES =
  "image/*,text/*,.pdf,.md,.json,.jsonl,.yaml,.yml,.toml,.ts,.tsx,.js,.jsx,.py,.rs,.go,.java,.sh,.sql";

export function Composer(props: {
  /** Of the chat; what is typed is kept under it. */
  id: string;
  placeholder: string;
  isBusy?: boolean;
  /** What was sent and comes back into the box. */
  returned?: ChatInput | undefined;
  onReturned?: () => void;
  /** False: it wasn't taken, and stays in the box. */
  onSend: (input: ChatInput) => Promise<boolean> | undefined;
  onStop?: () => void;
  /** Stands beside the button that attaches files. */
  children?: ReactNode;
}) {
  const { id, placeholder, isBusy = false, returned, onReturned, onSend, onStop } = props;
  const app = useApp();
  const [text, setText] = useState(() => drafts.read(id) ?? "");
  const [images, setImages] = useState<readonly string[]>([]);
  const [files, setFiles] = useState(() => attached.read(id) ?? []);
  const [reading, setReading] = useState<readonly string[]>([]);
  const [isSending, setSending] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const canSend = reading.length === 0 && (text.trim() !== "" || images.length > 0 || files.length > 0);

  useLayoutEffect(() => {
    if (!area.current) return;
    const most = window.innerHeight * 0.4;
    area.current.style.height = "auto";
    area.current.style.height = `${text.length > MEASURED ? most : Math.min(area.current.scrollHeight, most)}px`;
  }, [text]);
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) area.current?.focus();
  }, []);

  const write = (words: string) => {
    setText(words);
    drafts.keep(id, words === "" ? undefined : words);
  };
  useEffect(() => {
    attached.keep(id, files.length === 0 ? undefined : files);
  }, [id, files]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each thing that comes back
  useEffect(() => {
    if (returned === undefined) return;
    const { words, attachments } = splitAttachments(returned.text);
    write([words, text].filter((one) => one.trim() !== "").join("\n\n"));
    setFiles((before) => [...attachments, ...before]);
    setImages((before) => [...(returned.images ?? []), ...before]);
    onReturned?.();
    area.current?.focus();
  }, [returned]);
  const add = async (file: File) => {
    setReading((before) => [...before, file.name]);
    try {
      if (file.type.startsWith("image/")) {
        const url = await dataUrl(file);
        setImages((before) => [...before, url]);
      } else {
        const read = await readAttachment(file);
        setFiles((before) => [...before, read]);
      }
    } catch (error) {
      app.tell({ kind: "error", message: (error as Error).message, fix: strings.composer.openFix });
    }
    setReading((before) => before.toSpliced(before.indexOf(file.name), 1));
  };
  const send = async () => {
    if (!canSend || isSending) return;
    const sent = onSend({ text: withAttachments(text, files), ...(images.length > 0 && { images }) });
    if (sent !== undefined) {
      setSending(true);
      const isTaken = await sent;
      setSending(false);
      if (!isTaken) return;
    }
    write("");
    setImages([]);
    setFiles([]);
    attached.keep(id, undefined);
  };
  const take = (event: ClipboardEvent | DragEvent, { files: given }: DataTransfer) => {
    const pasted =
      event.type === "paste" ? (event as ClipboardEvent).clipboardData.getData("text/plain") : "";
    // What is copied from a document may come along as a picture, too: the words are meant.
    if (pasted.length > LONG_PASTE) setFiles((before) => withPaste(before, pasted));
    else if (given.length > 0 && pasted === "") for (const file of given) void add(file);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <Form
      className="composer"
      aria-label={strings.composer.label}
      onSubmit={() => void send()}
      onDrop={(event) => take(event, event.dataTransfer)}
    >
      <Attached
        images={images}
        files={files}
        reading={reading}
        onRemoveImage={(n) => setImages((before) => before.toSpliced(n, 1))}
        onRemoveFile={(n) => setFiles((before) => before.toSpliced(n, 1))}
      />
      <textarea
        ref={area}
        rows={1}
        value={text}
        aria-label={strings.composer.label}
        aria-describedby="composer-hint"
        placeholder={placeholder}
        onChange={(event) => write(event.target.value)}
        onPaste={(event) => take(event, event.clipboardData)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            void send();
          }
          if (event.key === "Escape" && isBusy) onStop?.();
        }}
      />
      <div className="composer-tools">
        <input
          ref={picker}
          type="file"
          accept={FILES}
          multiple
          hidden
          onChange={(event) => {
            for (const file of event.target.files ?? []) void add(file);
            event.target.value = "";
          }}
        />
        <IconButton icon="clip" label={strings.composer.attach} onClick={() => picker.current?.click()} />
        {props.children}
        <span id="composer-hint" className="hint">
          {isBusy ? strings.composer.busyHint : strings.composer.hint}
        </span>
        {isBusy ? (
          <button
            type="button"
            className="send stop"
            aria-label={strings.composer.stop}
            onClick={() => onStop?.()}
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

/** A long paste is attached, like a file. */
export const withPaste = (files: readonly Attachment[], text: string): readonly Attachment[] => [
  ...files,
  { name: strings.composer.pasted(files.filter(isPasted).length + 1), text },
];

/** What goes with the message, each with a cross that takes it away. */
export function Attached(props: {
  images?: readonly string[];
  files: readonly Attachment[];
  reading?: readonly string[];
  onRemoveImage?: (n: number) => void;
  onRemoveFile: (n: number) => void;
}) {
  const { images = [], files, reading = [], onRemoveImage, onRemoveFile } = props;
  const words = strings.composer;
  if (images.length + files.length + reading.length === 0) return null;
  // biome-ignore-start lint/suspicious/noArrayIndexKey: the same may be attached twice
  return (
    <ul className="attachments">
      {images.map((url, n) => (
        <li key={n}>
          <img src={url} alt={words.attached(n + 1)} />
          <CloseButton label={words.removeImage(n + 1)} size={14} onClick={() => onRemoveImage?.(n)} />
        </li>
      ))}
      {files.map(({ name, text }, n) => (
        <li key={n} className="chip">
          <Icon name="file" size={16} />
          <span>
            <strong>{name}</strong>
            <small>{words.size(text.length)}</small>
          </span>
          <CloseButton label={words.removeFile(name)} size={14} onClick={() => onRemoveFile(n)} />
        </li>
      ))}
      {reading.map((name, n) => (
        <li key={n} className="chip">
          <span className="spinner" aria-hidden="true" /> <span role="status">{words.reading(name)}</span>
        </li>
      ))}
    </ul>
  );
  // biome-ignore-end lint/suspicious/noArrayIndexKey: the same may be attached twice
}

const isPasted = ({ name }: Attachment) => name.startsWith(strings.composer.pasted(1));

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

import { type ClipboardEvent, type ComponentProps, type ReactNode, type Ref, useState } from "react";
import { explain } from "../state/api-client.ts";
import { parseTokens } from "../state/format.ts";
import { strings } from "../strings.ts";
import { Icon, type IconName } from "./icon.tsx";

/** A button with words, of one of the looks that styles know. */
export function Button(
  props: ComponentProps<"button"> & {
    look?: "button" | "button primary" | "button danger" | "link" | "link quiet" | "nav-item";
    icon?: IconName;
  },
) {
  const { look = "button", icon, children, ...rest } = props;
  return (
    <button type="button" className={look} {...rest}>
      {icon === undefined ? null : <Icon name={icon} size={16} />}
      {icon === undefined ? null : " "}
      {children}
    </button>
  );
}

/** A form that the page takes, and not the browser. */
export function Form(props: Omit<ComponentProps<"form">, "onSubmit"> & { onSubmit?: () => void }) {
  const { onSubmit, ...rest } = props;
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
    />
  );
}

/** Words that a person writes anew, until they are saved or left as they were. */
export function EditForm(props: {
  label: string;
  value: string;
  rows: number;
  go: string;
  help?: string;
  isEmptyFine?: boolean;
  /** Enter saves, as in the message box. */
  isLine?: boolean;
  onChange: (words: string) => void;
  /** While it lasts, nothing can be saved again. */
  onSave: () => Promise<unknown>;
  onCancel: () => void;
  onPaste?: (event: ClipboardEvent) => void;
  /** Stands above the words. */
  children?: ReactNode;
}) {
  const {
    label,
    value,
    rows,
    go,
    help,
    isEmptyFine = false,
    isLine = false,
    onChange,
    onSave,
    onCancel,
    onPaste,
    children,
  } = props;
  const [isSaving, setSaving] = useState(false);
  return (
    <Form
      className="edit-box"
      onSubmit={() => {
        if (value.trim() === "" && !isEmptyFine) return;
        setSaving(true);
        void onSave().finally(() => setSaving(false));
      }}
    >
      {children}
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person just asked to edit here
        autoFocus
        aria-label={label}
        value={value}
        rows={rows}
        onChange={(event) => onChange(event.target.value)}
        onPaste={onPaste}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          const isGo = isLine
            ? !event.shiftKey && !event.nativeEvent.isComposing
            : event.metaKey || event.ctrlKey;
          if (event.key !== "Enter" || !isGo) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      {help === undefined ? null : <p className="help">{help}</p>}
      <div className="row">
        <Button look="button primary" type="submit" disabled={isSaving}>
          {go}
        </Button>
        <Button onClick={onCancel}>{strings.cancel}</Button>
      </div>
    </Form>
  );
}

/** A button that is only an icon. Its name is read aloud, and shown to whoever points at it. */
export function IconButton(props: {
  icon: IconName;
  label: string;
  title?: string;
  size?: number;
  kind?: "" | "pin";
  isOn?: boolean;
  /** It does nothing at the moment, and keeps the focus. */
  isOff?: boolean;
  onClick: (event: { currentTarget: HTMLElement }) => void;
}) {
  const { icon, label, title = label, size = 18, kind = "", isOn, isOff, onClick } = props;
  return (
    <button
      type="button"
      className={`icon-button ${kind}`}
      aria-label={label}
      title={title}
      aria-pressed={isOn}
      aria-disabled={isOff}
      onClick={onClick}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}

/** The cross that takes something away. */
export const CloseButton = (props: { label?: string; size?: number; onClick: () => void }) => (
  <IconButton icon="close" label={strings.close} {...props} />
);

/** Something that a person should know, and what can be done about it. Without an icon it is still going on. */
export function Notice(props: {
  kind: string;
  icon?: IconName;
  title: string;
  help?: ReactNode;
  role?: "alert" | "status" | undefined;
  onClose?: () => void;
  children?: ReactNode;
}) {
  const { kind, icon, title, help, role, onClose, children } = props;
  return (
    <div className={`notice ${kind}`} role={role}>
      {icon === undefined ? <span className="spinner" aria-hidden="true" /> : <Icon name={icon} />}
      <div>
        <strong>{title}</strong>
        {help === undefined ? null : <small>{help}</small>}
      </div>
      {children}
      {onClose === undefined ? null : <CloseButton onClick={onClose} />}
    </div>
  );
}

/** Why something couldn't be done, and what to do about it. */
export function Failure({ error, title }: { error: unknown; title?: string | undefined }) {
  const { message, fix } = explain(error);
  const help = title === undefined ? fix : [message, fix].join(" ");
  return <Notice kind="error" icon="warn" title={title ?? message} help={help} role="alert" />;
}

/** Ways to look at the same thing, one of which is chosen. */
export function Tabs<T extends string>(props: {
  legend: string;
  /** What each is called, in the order in which they are shown. */
  names: Readonly<Record<T, string>>;
  chosen: T;
  onChoose: (one: T) => void;
}) {
  const { legend, names, chosen, onChoose } = props;
  return (
    <fieldset className="tabs">
      <legend className="visually-hidden">{legend}</legend>
      {(Object.keys(names) as T[]).map((one) => (
        <button key={one} type="button" aria-pressed={one === chosen} onClick={() => onChoose(one)}>
          {names[one]}
        </button>
      ))}
    </fieldset>
  );
}

/** A number of tokens, as `32k` or `32000`. With `onTake`, it is taken when the box is left. */
export function TokensInput(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onTake?: (tokens: number) => void;
}) {
  const { label, value, onChange, onTake } = props;
  const tokens = parseTokens(value);
  return (
    <label>
      {label}
      <input
        size={8}
        value={value}
        aria-invalid={tokens === undefined}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => {
          if (tokens !== undefined) onTake?.(tokens);
        }}
      />
    </label>
  );
}

/** One of several, under its name. With `none`, also none of them; with `isBrief`, the name is only read aloud. */
export function Choice<T extends string>(props: {
  label: string;
  values: readonly (readonly [value: T, text: string])[];
  chosen: T | undefined;
  none?: string | undefined;
  isBrief?: boolean;
  className?: string;
  onChoose: (value: T | undefined) => void;
}) {
  const { label, values, chosen = "", none, isBrief = false, className, onChoose } = props;
  const Wrapper = isBrief ? "span" : "label";
  return (
    <Wrapper>
      {isBrief ? null : label}
      <select
        className={className}
        aria-label={isBrief ? label : undefined}
        value={chosen}
        onChange={(event) => onChoose((event.target.value || undefined) as T | undefined)}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {values.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Wrapper>
  );
}

/** A part of the page that scrolls by itself, by keyboard too. */
export function ScrollArea(props: {
  className: string;
  label: string;
  ref?: Ref<HTMLElement>;
  /** One of several alike: it is no landmark of the page. */
  isPart?: boolean;
  children: ReactNode;
}) {
  const { className, label, ref, isPart = false, children } = props;
  return (
    <section
      ref={ref}
      className={className}
      aria-label={label}
      tabIndex={0}
      role={isPart ? "group" : undefined}
    >
      {children}
    </section>
  );
}

import type { ComponentProps, ReactNode, Ref } from "react";
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

/** A button that is only an icon. Its name is read aloud, and shown to whoever points at it. */
export function IconButton(props: {
  icon: IconName;
  label: string;
  title?: string;
  size?: number;
  kind?: "" | "pin" | "strong";
  isOn?: boolean;
  /** It does nothing at the moment, and keeps the focus. */
  isOff?: boolean;
  onClick: () => void;
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
export function CloseButton(props: { label?: string; size?: number; onClick: () => void }) {
  const { label = strings.close, size = 18, onClick } = props;
  return (
    <button type="button" className="icon-button" aria-label={label} onClick={onClick}>
      <Icon name="close" size={size} />
    </button>
  );
}

/** Something that a person should know, and what can be done about it. Without an icon it is still going on. */
export function Notice(props: {
  kind: string;
  icon?: IconName;
  title: string;
  help?: ReactNode;
  role?: "alert" | undefined;
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

/** One of several, under its name. With `none`, also none of them. */
export function Choice<T extends string>(props: {
  label: string;
  values: readonly (readonly [value: T, text: string])[];
  chosen: T | undefined;
  none?: string;
  onChoose: (value: T | undefined) => void;
}) {
  const { label, values, chosen, none, onChoose } = props;
  return (
    <label>
      {label}
      <select
        value={chosen ?? ""}
        onChange={(event) => onChoose((event.target.value || undefined) as T | undefined)}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {values.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A part of the page that scrolls by itself, by keyboard too. */
export function ScrollArea(props: {
  className: string;
  label: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}) {
  const { className, label, ref, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a place for the focus, keys can't scroll it
    <section ref={ref} className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

import type { ComponentProps, ReactNode } from "react";
import { strings } from "../strings.ts";
import { Icon, type IconName } from "./icon.tsx";

/** A button with words, of one of the looks that styles know. */
export function Button({
  look = "button",
  icon,
  children,
  ...rest
}: ComponentProps<"button"> & {
  look?: "button" | "button primary" | "button danger" | "link" | "link quiet" | "nav-item";
  icon?: IconName;
}) {
  return (
    <button type="button" className={look} {...rest}>
      {icon === undefined ? null : <Icon name={icon} size={16} />}
      {icon === undefined ? null : " "}
      {children}
    </button>
  );
}

/** A form that the page takes, and not the browser. */
export function Form({
  onSubmit,
  ...rest
}: Omit<ComponentProps<"form">, "onSubmit"> & { onSubmit?: () => void }) {
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
export function IconButton({
  icon,
  label,
  title = label,
  size = 18,
  kind = "",
  isOn,
  onClick,
}: {
  icon: IconName;
  label: string;
  title?: string;
  size?: number;
  kind?: "" | "pin" | "strong";
  isOn?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      className={`icon-button ${kind}`}
      aria-label={label}
      title={title}
      aria-pressed={isOn}
      onClick={onClick}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}

/** The cross that takes something away. */
export function CloseButton({
  label = strings.close,
  size = 18,
  onClick,
}: {
  label?: string;
  size?: number;
  onClick: () => void;
}) {
  return (
    <button type="button" className="icon-button" aria-label={label} onClick={onClick}>
      <Icon name="close" size={size} />
    </button>
  );
}

/** Something that a person should know, and what can be done about it. Without an icon it is still going on. */
export function Notice({
  kind,
  icon,
  title,
  help,
  role,
  onClose,
  children,
}: {
  kind: string;
  icon?: IconName;
  title: string;
  help?: ReactNode;
  role?: "alert" | undefined;
  onClose?: () => void;
  children?: ReactNode;
}) {
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
export function Tabs<T extends string>({
  legend,
  names,
  chosen,
  onChoose,
}: {
  legend: string;
  /** What each is called, in the order in which they are shown. */
  names: Readonly<Record<T, string>>;
  chosen: T;
  onChoose: (one: T) => void;
}) {
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

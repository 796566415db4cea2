import { type ReactNode, useEffect, useId, useRef } from "react";
import { CloseButton } from "./controls.tsx";

/** A modal dialog: the browser keeps the focus inside and gives it back at the end. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  /** At the right edge instead of in the middle. */
  side?: boolean;
  children: ReactNode;
}) {
  const { title, onClose, side = false, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // What a dialog asks for first, and not the cross above it.
      dialog.querySelector("textarea")?.focus();
    }
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={side ? "dialog side" : "dialog"}
      aria-labelledby={id}
      closedby="any"
      onClose={onClose}
    >
      <div className="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <CloseButton onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

import { useState } from "react";
import { strings } from "../strings.ts";
import { Button, Form } from "./controls.tsx";
import { Dialog } from "./dialog.tsx";

export function CompactDialog(props: {
  onClose: () => void;
  onCompact: (focus: string | undefined) => void;
}) {
  const { onClose, onCompact } = props;
  const [focus, setFocus] = useState("");
  const words = strings.compaction;
  return (
    <Dialog title={words.focusTitle} onClose={onClose}>
      <Form className="form" onSubmit={() => onCompact(focus.trim() || undefined)}>
        <p className="help">{words.focusHelp}</p>
        <label>
          {words.focusLabel}
          <textarea
            rows={3}
            value={focus}
            placeholder={words.focusPlaceholder}
            onChange={(event) => setFocus(event.target.value)}
          />
        </label>
        <div className="row end">
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button look="button primary" type="submit">
            {words.focusGo}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

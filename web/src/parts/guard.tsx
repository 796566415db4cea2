import { Component, type ReactNode } from "react";
import { strings } from "../strings.ts";

/** If drawing breaks, says so instead of leaving an empty page. */
export class Guard extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="empty" role="alert">
        <h1>{strings.errors.crashed}</h1>
        <p>{error.message}</p>
        <button type="button" className="button primary" onClick={() => location.reload()}>
          {strings.errors.reload}
        </button>
      </div>
    );
  }
}

import { Component, type ReactNode } from "react";
import { strings } from "../strings.ts";
import { Button } from "./controls.tsx";

interface GuardProps {
  readonly children: ReactNode;
  /** What is shown; when it changes, what broke before is forgotten. */
  readonly at?: string;
  /** A way out that needs no reload. */
  readonly back?: { readonly label: string; readonly go: () => void } | undefined;
}

interface GuardState {
  readonly error: Error | undefined;
  readonly at: string | undefined;
}

/** If drawing breaks, says so in the place of what broke; everything around it stays. */
export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { error: undefined, at: this.props.at };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  static getDerivedStateFromProps({ at }: GuardProps, state: GuardState): GuardState | null {
    return at === state.at ? null : { at, error: undefined };
  }

  override render() {
    const { error } = this.state;
    const { children, back } = this.props;
    if (error === undefined) return children;
    return (
      <div className="empty" role="alert">
        <h1>{strings.errors.crashed}</h1>
        <p>{error.message}</p>
        {back === undefined ? null : (
          <Button look="button primary" onClick={back.go}>
            {back.label}
          </Button>
        )}
        <Button look={back === undefined ? "button primary" : "button"} onClick={() => location.reload()}>
          {strings.errors.reload}
        </Button>
      </div>
    );
  }
}

import { Component, type ComponentType, type ReactNode } from "react";
import type { Messages } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";
import { reportError } from "@/lib/reporting/known-errors";
import type { ErrorViewProps } from "./error-view";

interface Props {
  children: ReactNode;
  /** Where the visitor is: another place, another chance. */
  place: string;
}

interface State {
  place: string;
  tries: number;
  failed?: boolean;
  reference?: string;
  /** Comes when it is needed; until then, or if it can't be had, the bare words stand in. */
  View?: ComponentType<ErrorViewProps>;
}

/** Shows the error view in place of a page that threw while it rendered in the browser. */
export class ErrorBoundary extends Component<Props, State> {
  static override contextType = MessagesContext;
  declare context: Messages;

  override state: State = { place: this.props.place, tries: 0 };

  static getDerivedStateFromProps({ place }: Props, state: State): State | null {
    return place === state.place ? null : { place, tries: 0, failed: false, reference: undefined };
  }

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.setState({ reference: reportError(error, "boundary") });
    import("./error-view").then(
      ({ ErrorView }) => this.setState({ View: ErrorView }),
      () => {
        // The bare words stay.
      },
    );
  }

  tryAgain = (): void => {
    if (this.state.tries > 0) location.reload();
    else this.setState({ failed: false, tries: 1 });
  };

  override render(): ReactNode {
    const { failed, reference = "", View } = this.state;
    if (!failed) return this.props.children;
    if (View) return <View side="browser" reference={reference} onTryAgain={this.tryAgain} />;
    const { applicationError, browser } = this.context.errors;
    return (
      <article>
        <h1 tabIndex={-1}>{applicationError}</h1>
        <p>{browser}</p>
        <code data-fact="reference">{reference}</code>
      </article>
    );
  }
}

import { Component, type ComponentType, type ReactNode } from "react";
import type { Messages } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";
import { loadWhole } from "@/lib/navigation/full-load";
import { reportError } from "@/lib/reporting/browser/report-error";
import type { ErrorViewProps } from "./error-view";

interface Props {
  children: ReactNode;
  /** Where the visitor is: another place, another chance. */
  place: string;
}

interface State {
  place: string;
  failed?: boolean;
  reference?: string;
  /** Comes when it is needed; until then, or if it can't be had, the bare words stand in. */
  View?: ComponentType<ErrorViewProps>;
}

/** Shows the error view in place of a page that threw while it rendered in the browser. */
export class ErrorBoundary extends Component<Props, State> {
  static override contextType = MessagesContext;
  declare context: Messages;

  override state: State = { place: this.props.place };
  /** At this place the page was mounted again once. */
  triedAt?: string;
  mountingAgain = false;

  static getDerivedStateFromProps({ place }: Props, state: State): State | null {
    return place === state.place ? null : { place, failed: false, reference: undefined };
  }

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    // A part of the page is no longer on the server, or did not come.
    if ((error as Error)?.name === "ChunkLoadError" && loadWhole(error)) return;
    this.setState({ reference: reportError(error, "boundary") });
    // Mounting it again was no help, so the visitor's wish goes on to the stronger way.
    if (this.mountingAgain) location.reload();
    import("./error-view").then(
      ({ ErrorView }) => this.setState({ View: ErrorView }),
      () => {
        // The bare words stay.
      },
    );
  }

  tryAgain = (): void => {
    const { place } = this.props;
    if (this.triedAt === place) {
      location.reload();
      return;
    }
    this.triedAt = place;
    this.mountingAgain = true;
    this.setState({ failed: false });
    // A click's update is done, its effects included, before the next task.
    setTimeout(() => {
      this.mountingAgain = false;
    });
  };

  override render(): ReactNode {
    const { failed, reference = "", View } = this.state;
    if (!failed) return this.props.children;
    if (View) return <View side="browser" reference={reference} onTryAgain={this.tryAgain} />;
    const { applicationError, browser, tryAgain } = this.context.errors;
    return (
      <article>
        <h1 tabIndex={-1}>{applicationError}</h1>
        <p>{browser}</p>
        <code data-fact="reference">{reference}</code>
        <p>
          <button type="button" onClick={this.tryAgain}>
            {tryAgain}
          </button>
        </p>
      </article>
    );
  }
}

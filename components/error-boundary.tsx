import { Component, type ComponentType, type ReactNode } from "react";
import type { Messages } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";
import { recoverByFullLoad } from "@/lib/navigation/full-load";
import { reportError } from "@/lib/reporting/browser/report-error";
import type { ErrorViewProps } from "./error-view";

interface Props {
  children: ReactNode;
  /** The URL of the page. When it changes, the page is rendered again. */
  pageUrl: string;
}

interface State {
  pageUrl: string;
  failed?: boolean;
  reference?: string;
  /** Loaded when it is needed. Until then, or if it fails to load, plain texts show. */
  View?: ComponentType<ErrorViewProps>;
}

/** Shows the error view in place of a page whose rendering threw in the browser. */
export class ErrorBoundary extends Component<Props, State> {
  static override contextType = MessagesContext;
  declare context: Messages;

  override state: State = { pageUrl: this.props.pageUrl };
  /** The URL at which the page was last mounted again on the visitor's request. */
  triedAt?: string;
  isRemounting = false;

  static getDerivedStateFromProps({ pageUrl }: Props, state: State): State | null {
    return pageUrl === state.pageUrl ? null : { pageUrl, failed: false, reference: undefined };
  }

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    // A script of the page could not be loaded.
    if ((error as Error)?.name === "ChunkLoadError" && recoverByFullLoad(error)) return;
    this.setState({ reference: reportError(error, "boundary") });
    // The visitor tried again, and mounting the page anew did not help: a full page load may.
    if (this.isRemounting) location.reload();
    import("./error-view").then(
      ({ ErrorView }) => this.setState({ View: ErrorView }),
      () => {
        // The plain texts stay.
      },
    );
  }

  tryAgain = (): void => {
    const { pageUrl } = this.props;
    if (this.triedAt === pageUrl) {
      location.reload();
      return;
    }
    this.triedAt = pageUrl;
    this.isRemounting = true;
    this.setState({ failed: false });
    // React finishes the update of a click, with its effects, before the next task.
    setTimeout(() => {
      this.isRemounting = false;
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

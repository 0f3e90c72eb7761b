import { captureReactException } from "@signpost/sentry";
import { Component, type ComponentType, type ErrorInfo, type ReactNode } from "react";
import type { Messages } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";
import { focusHeading, focusPage } from "@/lib/navigation/arrival";
import { recoverLostChunk } from "@/lib/navigation/hard-navigation";
import buttons from "./button.module.css";
import type { ErrorViewProps } from "./error-view";
import styles from "./error-view.module.css";
import { PageHead } from "./page-head";

interface Props {
  children: ReactNode;
  /**
   * The URL of the page with its language, once the router knows it. When it changes to another, the
   * page is rendered again.
   */
  pageUrl: string | undefined;
}

interface State {
  pageUrl: string | undefined;
  failed?: boolean;
  reference?: string;
  /** Loaded when it is needed. Until then, or if it fails to load, plain texts show. */
  View?: ComponentType<ErrorViewProps>;
}

/** As Sentry's own boundary has it: for the service, the visit has crashed. */
const mechanism = { type: "auto.function.react.error_boundary", handled: false };

/**
 * Shows the error view in place of a page whose rendering threw in the browser. Every page carries it,
 * so it uses the function of Sentry's that needs no scopes.
 */
export class PageErrorBoundary extends Component<Props, State> {
  static override contextType = MessagesContext;
  declare context: Messages;

  override state: State = { pageUrl: this.props.pageUrl };
  /** The URL at which the page was last mounted again on the visitor's request. */
  triedAt?: string;
  isRemounting = false;

  static getDerivedStateFromProps({ pageUrl }: Props, state: State): State | null {
    if (pageUrl === state.pageUrl) return null;
    return state.pageUrl ? { pageUrl, failed: false, reference: undefined } : { pageUrl };
  }

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  override async componentDidCatch(error: unknown, info: ErrorInfo): Promise<void> {
    await recoverLostChunk(error);
    this.setState({ reference: captureReactException(error, info, { mechanism }) });
    // The visitor tried again, and mounting the page anew did not help: a hard navigation may.
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
      // The button that had the focus is gone.
      if (!this.state.failed) focusPage();
    });
  };

  override render(): ReactNode {
    const { failed, reference = "", View } = this.state;
    if (!failed) return this.props.children;
    if (View) return <View side="browser" reference={reference} onTryAgain={this.tryAgain} />;
    const { applicationError, browser, tryAgain, reference: label } = this.context.errors;
    return (
      <article className={styles.view}>
        <PageHead title={applicationError} />
        <h1 tabIndex={-1} ref={focusHeading}>
          {applicationError}
        </h1>
        <p>{browser}</p>
        <button type="button" className={buttons.button} onClick={this.tryAgain}>
          {tryAgain}
        </button>
        {reference && (
          <p className={styles.plate}>
            {label}
            <code data-fact="reference" dir="ltr">
              {reference}
            </code>
          </p>
        )}
      </article>
    );
  }
}

import type * as Sentry from "@sentry/nextjs";
import {
  Component,
  type ComponentType,
  type ErrorInfo,
  type FC,
  isValidElement,
  type ReactNode,
} from "react";
import { withScope } from "sentry-scopes";
import { captureReactException } from "../first-load/captures.ts";
import { hoistStatics } from "./hoist-statics.ts";
import "./interim-client.ts";

/** As Sentry's, but for its dialog, which is a page of Sentry's own servers. */
export type ErrorBoundaryProps = Omit<Sentry.ErrorBoundaryProps, "showDialog" | "dialogOptions"> & {
  showDialog?: never;
  dialogOptions?: never;
};

type Caught = [error: unknown, componentStack: string, eventId: string];

/**
 * Sentry's error boundary: https://docs.sentry.io/platforms/javascript/guides/react/features/error-boundary/
 * The id that it shows is the event's, whether or not the SDK is there. It has no state before something fails.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failure?: Caught }> {
  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    const { beforeCapture, onError, handled, fallback } = this.props;
    const componentStack = info.componentStack ?? "";
    withScope((scope) => {
      beforeCapture?.(scope, error, componentStack);
      const type = "auto.function.react.error_boundary";
      const mechanism = { type, handled: handled ?? !!fallback };
      const eventId = captureReactException(error, info, { mechanism });
      const failure: Caught = [error, componentStack, eventId];
      onError?.(...failure);
      this.setState({ failure });
    });
  }

  override componentDidMount(): void {
    this.props.onMount?.();
  }

  override componentWillUnmount(): void {
    const { onUnmount } = this.props;
    const failure = this.state?.failure;
    if (failure) onUnmount?.(...failure);
    else onUnmount?.(null, null, null);
  }

  resetError(): void {
    const failure = this.state?.failure;
    if (failure) this.props.onReset?.(...failure);
    this.setState({ failure: undefined });
  }

  override render(): ReactNode {
    const { children, fallback: Fallback } = this.props;
    const failure = this.state?.failure;
    if (!failure) return typeof children === "function" ? children() : children;
    const [error, componentStack, eventId] = failure;
    // An element; a text is shown neither by Sentry.
    if (typeof Fallback !== "function") return isValidElement(Fallback) ? Fallback : null;
    const props = { error, componentStack, eventId, resetError: () => this.resetError() };
    return <Fallback {...props} />;
  }
}

export function withErrorBoundary<P extends object>(
  Wrapped: ComponentType<P>,
  options: ErrorBoundaryProps,
): FC<P> {
  const WithBoundary = (props: P) => (
    <ErrorBoundary {...options}>
      <Wrapped {...props} />
    </ErrorBoundary>
  );
  WithBoundary.displayName = `errorBoundary(${Wrapped.displayName || Wrapped.name || "unknown"})`;
  return hoistStatics(WithBoundary, Wrapped);
}

import type * as Sentry from "@sentry/nextjs";
import {
  Component,
  type ComponentType,
  createElement,
  type ErrorInfo,
  type FC,
  isValidElement,
  type ReactNode,
} from "react";
import { capture, withScope } from "./capture";

/** As Sentry's, but for its dialog, which is a page of Sentry's own servers. */
export type ErrorBoundaryProps = Omit<Sentry.ErrorBoundaryProps, "showDialog" | "dialogOptions"> & {
  showDialog?: never;
  dialogOptions?: never;
};

interface Failure {
  error: unknown;
  componentStack: string;
  eventId: string;
}

/**
 * Sentry's error boundary: https://docs.sentry.io/platforms/javascript/guides/react/features/error-boundary/
 * The id that it shows is the event's, whether or not the SDK is there.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failure?: Failure }> {
  override state: { failure?: Failure } = {};

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    const { beforeCapture, onError, handled, fallback } = this.props;
    const componentStack = info.componentStack ?? "";
    withScope((scope) => {
      beforeCapture?.(scope, error, componentStack);
      const mechanism = {
        type: "auto.function.react.error_boundary",
        handled: handled ?? Boolean(fallback),
      };
      const eventId = capture({ error, componentStack }, { mechanism });
      onError?.(error, componentStack, eventId);
      this.setState({ failure: { error, componentStack, eventId } });
    });
  }

  override componentDidMount(): void {
    this.props.onMount?.();
  }

  override componentWillUnmount(): void {
    const { failure } = this.state;
    if (failure) this.props.onUnmount?.(failure.error, failure.componentStack, failure.eventId);
    else this.props.onUnmount?.(null, null, null);
  }

  resetError = (): void => {
    const { failure } = this.state;
    if (failure) this.props.onReset?.(failure.error, failure.componentStack, failure.eventId);
    this.setState({ failure: undefined });
  };

  override render(): ReactNode {
    const { children, fallback } = this.props;
    const { failure } = this.state;
    if (!failure) return typeof children === "function" ? children() : children;
    const element =
      typeof fallback === "function"
        ? createElement(fallback as FC<Failure & { resetError: () => void }>, {
            ...failure,
            resetError: this.resetError,
          })
        : fallback;
    return isValidElement(element) ? element : null;
  }
}

export function withErrorBoundary<P extends object>(
  Wrapped: ComponentType<P>,
  options: ErrorBoundaryProps,
): FC<P> {
  const name = Wrapped.displayName ?? Wrapped.name ?? "unknown";
  const WithBoundary = (props: P) => (
    <ErrorBoundary {...options}>
      <Wrapped {...props} />
    </ErrorBoundary>
  );
  return Object.assign(WithBoundary, { displayName: `errorBoundary(${name})` });
}

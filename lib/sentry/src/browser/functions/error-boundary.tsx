import type * as Sentry from "@sentry/nextjs";
import { Component, type ComponentType, type ErrorInfo, type FC, type ReactNode } from "react";
import { withScope } from "sentry-scopes";
import { captureException } from "./functions.ts";

/** As Sentry's, but for its dialog, which is a page of Sentry's own servers. */
export type ErrorBoundaryProps = Omit<Sentry.ErrorBoundaryProps, "showDialog" | "dialogOptions"> & {
  showDialog?: never;
  dialogOptions?: never;
};

type Caught = [error: unknown, componentStack: string, eventId: string];

/**
 * Sentry's error boundary: https://docs.sentry.io/platforms/javascript/guides/react/features/error-boundary/
 * The id that it shows is the event's, whether or not the SDK is there.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failure?: Caught }> {
  override state: { failure?: Caught } = {};

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    const { beforeCapture, onError, handled, fallback } = this.props;
    const componentStack = info.componentStack ?? "";
    withScope((scope) => {
      beforeCapture?.(scope, error, componentStack);
      const type = "auto.function.react.error_boundary";
      const mechanism = { type, handled: handled ?? !!fallback };
      if (error instanceof Error && componentStack) addComponentStack(error, componentStack);
      const eventId = captureException(error, { mechanism });
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
    const { failure } = this.state;
    if (failure) onUnmount?.(...failure);
    else onUnmount?.(null, null, null);
  }

  resetError = (): void => {
    if (this.state.failure) this.props.onReset?.(...this.state.failure);
    this.setState({ failure: undefined });
  };

  override render(): ReactNode {
    const { children, fallback: Fallback } = this.props;
    const { failure } = this.state;
    if (!failure) return typeof children === "function" ? children() : children;
    const [error, componentStack, eventId] = failure;
    if (typeof Fallback !== "function") return Fallback;
    const props = { error, componentStack, eventId, resetError: this.resetError };
    return <Fallback {...props} />;
  }
}

/** As Sentry's own error boundary does: adds an innermost cause whose stack lists the components. */
function addComponentStack(error: Error, stack: string): void {
  let innermost = error;
  // Causes may be a circle.
  for (let n = 0; n < 50 && innermost.cause instanceof Error; n++) innermost = innermost.cause;
  if (innermost.cause) return;
  const name = `React ErrorBoundary ${error.name}`;
  const value = Object.assign(new Error(error.message), { name, stack });
  // Does nothing to an error that takes no property, such as a frozen one.
  Reflect.defineProperty(innermost, "cause", { value, configurable: true, writable: true });
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
  // As on the server: what a page has besides, such as getInitialProps, and nothing of React's own.
  const {
    prototype: _,
    contextType: __,
    getDerivedStateFromProps: ___,
    ...statics
  } = Object.getOwnPropertyDescriptors<Record<string, unknown> & typeof Wrapped>(Wrapped as never);
  const displayName = { value: `errorBoundary(${name})`, writable: true };
  return Object.defineProperties(WithBoundary, { ...statics, displayName });
}

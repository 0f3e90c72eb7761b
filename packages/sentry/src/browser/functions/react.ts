import type { EventProcessor } from "@sentry/core";
import type * as Sentry from "@sentry/nextjs";
import { Component, createElement, type ReactNode, useEffect, useState } from "react";
import {
  getCurrentScope,
  getGlobalScope,
  type Span,
  type SpanAttributes,
  type StartSpanOptions,
  setNormalizationDepthOverrideHint,
  timestampInSeconds,
} from "sentry-scopes";
import { captureReactException } from "../first-load/captures.ts";
import { addBreadcrumb } from "./calls.ts";
import { hoistStatics } from "./hoist-statics.ts";
import { startInactiveSpan, withActiveSpan } from "./spans.ts";

/*
 * What `@sentry/nextjs` hands on of `@sentry/react`, besides error boundaries.
 */

type Sdk = typeof Sentry;

interface ProfilerProps {
  name: string;
  disabled?: boolean;
  includeRender?: boolean;
  includeUpdates?: boolean;
  updateProps?: Record<string, unknown>;
  children?: ReactNode;
}

export const reactErrorHandler: Sdk["reactErrorHandler"] = (callback) => (error, info) => {
  const mechanism = { type: "auto.function.react.error_handler", handled: !!callback };
  const eventId = captureReactException(error, info, { mechanism });
  callback?.(error, info, eventId);
};

/** A span of a component of this name. */
function componentSpan(
  component: string,
  op: "ui.mount" | "ui.update" | "ui.render",
  more: Pick<StartSpanOptions, "attributes" | "startTime"> = {},
): Span {
  const attributes: SpanAttributes = {
    "sentry.op": op,
    "sentry.origin": "auto.ui.react.profiler",
    ...(component !== "unknown" && { "ui.component_name": component }),
    ...more.attributes,
  };
  return startInactiveSpan({ ...more, name: `<${component}>`, onlyIfParent: true, attributes });
}

/** Measures how long a component takes until it is there, its updates, and how long it stays. */
class ComponentProfiler extends Component<ProfilerProps> {
  declare private readonly mount: Span | undefined;
  declare private mounted: number;
  declare private update: Span | undefined;

  constructor(props: ProfilerProps) {
    super(props);
    if (!props.disabled) this.mount = componentSpan(props.name, "ui.mount");
  }

  override componentDidMount(): void {
    this.mounted = timestampInSeconds();
    this.mount?.end();
  }

  override shouldComponentUpdate({ updateProps, includeUpdates = true }: ProfilerProps): boolean {
    const changed = Object.keys(updateProps ?? {}).filter(
      (key) => updateProps?.[key] !== this.props.updateProps?.[key],
    );
    if (this.mount && includeUpdates && changed[0]) {
      const attributes = { "ui.react.changed_props": changed };
      this.update = withActiveSpan(this.mount, () =>
        componentSpan(this.props.name, "ui.update", { attributes }),
      );
    }
    return true;
  }

  override componentDidUpdate(): void {
    this.update?.end();
    this.update = undefined;
  }

  override componentWillUnmount(): void {
    if (!this.mount || this.props.includeRender === false) return;
    const startTime = this.mounted;
    withActiveSpan(this.mount, () =>
      componentSpan(this.props.name, "ui.render", { startTime }).end(),
    );
  }

  override render(): ReactNode {
    return this.props.children;
  }
}
export const Profiler = ComponentProfiler as unknown as Sdk["Profiler"];

export const withProfiler: Sdk["withProfiler"] = (Wrapped, options) => {
  const name = options?.name || Wrapped.displayName || Wrapped.name || "unknown";
  const Profiled: typeof Wrapped = (props) =>
    createElement(
      ComponentProfiler,
      { ...options, name, updateProps: props },
      createElement(Wrapped, props),
    );
  Profiled.displayName = `profiler(${name})`;
  return hoistStatics(Profiled, Wrapped);
};

export const useProfiler: Sdk["useProfiler"] = (name, options = { hasRenderSpan: true }) => {
  const [span] = useState(() => (options.disabled ? undefined : componentSpan(name, "ui.mount")));
  // biome-ignore lint/correctness/useExhaustiveDependencies: as Sentry's, it begins and ends with the component
  useEffect(() => {
    const startTime = timestampInSeconds();
    span?.end();
    return () => {
      if (span && options.hasRenderSpan) componentSpan(name, "ui.render", { startTime }).end();
    };
  }, []);
};

/** Each action is a breadcrumb; the state is a context of what is captured after it, and an attachment. */
export const createReduxEnhancer: Sdk["createReduxEnhancer"] = ({
  attachReduxState = true,
  actionTransformer = (action: unknown) => action,
  stateTransformer = (state: unknown) => state || null,
  configureScopeWithState,
} = {}) => {
  type Reducer = (state: unknown, action: unknown) => unknown;
  const tell = (state: unknown, action: unknown) => {
    const [data, value] = [actionTransformer(action as never), stateTransformer(state as never)];
    if (data != null) addBreadcrumb({ category: "redux.action", data, type: "info" });
    const context = { state: { type: "redux", value } };
    // Three levels for `state.value`, and as many as by default for the state itself.
    setNormalizationDepthOverrideHint(context, 6);
    getCurrentScope().setContext("state", value == null ? null : context);
    configureScopeWithState?.(getCurrentScope() as never, state as never);
  };
  const told =
    (reducer: Reducer): Reducer =>
    (state, action) => {
      const next = reducer(state, action);
      tell(next, action);
      return next;
    };
  type Store = { replaceReducer(reducer: Reducer): void };
  type Next = (reducer: Reducer, initial: unknown) => Store;
  const enhancer = (next: Next) => (reducer: Reducer, initial: unknown) => {
    if (attachReduxState) getGlobalScope().addEventProcessor(attachState);
    const store = next(told(reducer), initial);
    const replace = store.replaceReducer;
    store.replaceReducer = (other) => replace.call(store, told(other));
    return store;
  };
  return enhancer as never;
};

const attachState: EventProcessor = (event, hint) => {
  const state = event.contexts?.state?.state as { type?: string; value?: unknown } | undefined;
  if (event.type === undefined && state?.type === "redux") {
    const attachment = { filename: "redux_state.json", data: JSON.stringify(state.value) };
    hint.attachments = [...(hint.attachments ?? []), attachment];
  }
  return event;
};

/*
 * Other routers: those of an app that has them inside of Next's pages. Each gives back what it is given,
 * since page loads and navigations are measured by Next's own.
 */
const asItIs = <T>(given: T): T => given;

export {
  browserTracingIntegration as reactRouterBrowserTracingIntegration,
  browserTracingIntegration as reactRouterV3BrowserTracingIntegration,
  browserTracingIntegration as reactRouterV4BrowserTracingIntegration,
  browserTracingIntegration as reactRouterV5BrowserTracingIntegration,
  browserTracingIntegration as reactRouterV6BrowserTracingIntegration,
  browserTracingIntegration as reactRouterV7BrowserTracingIntegration,
  browserTracingIntegration as tanstackRouterBrowserTracingIntegration,
} from "./integrations.ts";

export const withSentryReactRouterV6Routing = asItIs;
export const withSentryReactRouterV7Routing = asItIs;
export const withSentryRouting = asItIs;
export const wrapCreateBrowserRouter = asItIs;
export const wrapCreateBrowserRouterV6 = asItIs;
export const wrapCreateBrowserRouterV7 = asItIs;
export const wrapCreateMemoryRouter = asItIs;
export const wrapCreateMemoryRouterV6 = asItIs;
export const wrapCreateMemoryRouterV7 = asItIs;
export const wrapReactRouterRouting = asItIs;
export const wrapUseRoutes = asItIs;
export const wrapUseRoutesV6 = asItIs;
export const wrapUseRoutesV7 = asItIs;

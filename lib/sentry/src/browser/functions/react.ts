import type { EventProcessor } from "@sentry/core";
import type * as Sentry from "@sentry/nextjs";
import { Component, createElement, useEffect, useState } from "react";
import {
  addBreadcrumb,
  getCurrentScope,
  getGlobalScope,
  setNormalizationDepthOverrideHint,
} from "sentry-scopes";
import { captureReactException } from "../first-load/captures.ts";
import { startInactiveSpan } from "./spans.ts";

/*
 * What `@sentry/nextjs` hands on of `@sentry/react`, besides error boundaries.
 */

type Sdk = typeof Sentry;

export const reactErrorHandler: Sdk["reactErrorHandler"] = (callback) => (error, info) => {
  const eventId = captureReactException(error);
  callback?.(error, info, eventId);
};

const mountSpan = (name: string) =>
  startInactiveSpan({ name: `<${name}>`, op: "ui.mount", onlyIfParent: true });

interface ProfilerProps {
  name: string;
  disabled?: boolean;
  children?: React.ReactNode;
}

/** Measures how long a component takes until it is there; not its updates. */
class MountProfiler extends Component<ProfilerProps> {
  readonly #span = this.props.disabled ? undefined : mountSpan(this.props.name);

  override componentDidMount(): void {
    this.#span?.end();
  }

  override render(): React.ReactNode {
    return this.props.children;
  }
}
export const Profiler = MountProfiler as unknown as Sdk["Profiler"];

export const withProfiler: Sdk["withProfiler"] = (Wrapped, options) => {
  const name = options?.name ?? Wrapped.displayName ?? Wrapped.name ?? "unknown";
  const { disabled = false } = options ?? {};
  return function Profiled(props) {
    return createElement(MountProfiler, { name, disabled }, createElement(Wrapped, props));
  };
};

export const useProfiler: Sdk["useProfiler"] = (name, options) => {
  const [span] = useState(() => (options?.disabled ? undefined : mountSpan(name)));
  useEffect(() => span?.end(), [span]);
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
} from "../integrations/late.ts";

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

import * as Sentry from "@signpost/sentry";
import { render } from "@testing-library/react";
import { Component, type ComponentType, type ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { takeErrors } from "@/packages/sentry/src/browser/first-load/error-queue";

Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });

test("React's error handler reports, and hands the event's id to the app", () => {
  const seen = vi.fn();
  const error = new Error("in a root");
  const info = { componentStack: "\n    at Cart" };
  Sentry.reactErrorHandler(seen)(error, info);
  const [reported] = takeErrors();
  const mechanism = { type: "auto.function.react.error_handler", handled: true };
  expect(reported).toMatchObject({ error, info, hint: { mechanism } });
  expect(seen).toHaveBeenCalledWith(error, info, reported?.reference);
  Sentry.reactErrorHandler()("a text", info);
  expect(takeErrors()).toMatchObject([{ hint: { mechanism: { handled: false } } }]);
});

test("captureReactException takes a hint or a context, as captureException does", () => {
  const info = { componentStack: "\n    at Cart" };
  const tags = { area: "cart" };
  const hint = { captureContext: { tags }, mechanism: { type: "mine", handled: false } };
  Sentry.captureReactException(new Error("in a cart"), info, hint);
  const [reported] = takeErrors();
  expect(reported).toMatchObject({ info, hint: { mechanism: hint.mechanism } });
  expect(reported?.scopes?.current.getScopeData().tags).toMatchObject(tags);
});

class Page extends Component<{ items?: number }> {
  static getLayout = (page: ReactNode) => <main>{page}</main>;
  static getInitialProps = () => ({ items: 3 });
  override render() {
    return <p>{this.props.items} lamps</p>;
  }
}

test("a component around a page keeps what the page has besides, inherited too, under Sentry's name", () => {
  class Inheriting extends Page {}
  const withBoundary = Sentry.withErrorBoundary as typeof Sentry.withProfiler;
  for (const [around, wrap] of [
    ["profiler", Sentry.withProfiler],
    ["errorBoundary", withBoundary],
  ] as const) {
    const Wrapped = wrap(Inheriting as ComponentType<{ items?: number }>);
    const { getInitialProps, getLayout } = Wrapped as unknown as typeof Page;
    const { container, unmount } = render(getLayout(<Wrapped {...getInitialProps()} />));
    expect(container.innerHTML).toBe("<main><p>3 lamps</p></main>");
    unmount();
    expect(Wrapped.displayName).toBe(`${around}(Inheriting)`);
    expect(wrap((() => null) as never).displayName).toBe(`${around}(unknown)`);
  }
});

test("an error boundary shows an element or a component as its fallback, and of a text nothing, as Sentry's", () => {
  const silent = vi.spyOn(console, "error").mockImplementation(() => {});
  const Failing = () => {
    throw new Error("in render");
  };
  const shown = (fallback: unknown) =>
    render(
      <Sentry.ErrorBoundary fallback={fallback as never}>
        <Failing />
      </Sentry.ErrorBoundary>,
    ).container.innerHTML;
  expect(shown("a text")).toBe("");
  expect(shown(<b>Sorry</b>)).toBe("<b>Sorry</b>");
  expect(shown(() => "a text")).toBe("a text");
  silent.mockRestore();
  expect(takeErrors()).toHaveLength(3);
});

test("the Redux enhancer leaves each action as a breadcrumb, and the state as a context", () => {
  type Reducer = (state: number, action: { type: string }) => number;
  const createStore = (reducer: Reducer, initial: number) => {
    let [state, reduce] = [initial, reducer];
    return {
      dispatch: (action: { type: string }) => {
        state = reduce(state, action);
      },
      getState: () => state,
      replaceReducer: (next: Reducer) => {
        reduce = next;
      },
    };
  };
  const enhancer = Sentry.createReduxEnhancer({
    actionTransformer: (action) => (action.type === "secret" ? null : action),
    configureScopeWithState: (scope, state) => scope.setTag("count", String(state)),
  });
  const store = enhancer(createStore as never)(((state: number) => state + 1) as never, 1 as never);
  store.dispatch({ type: "add" });
  store.dispatch({ type: "secret" });
  store.replaceReducer(((state: number) => state * 10) as never);
  store.dispatch({ type: "times" });
  expect(store.getState()).toBe(30);
  const { breadcrumbs } = Sentry.getIsolationScope().getScopeData();
  const { contexts, tags } = Sentry.getCurrentScope().getScopeData();
  expect(breadcrumbs.map(({ category, data }) => [category, data?.type])).toEqual([
    ["redux.action", "add"],
    ["redux.action", "times"],
  ]);
  expect(contexts.state).toMatchObject({ state: { type: "redux", value: 30 } });
  expect(tags).toEqual({ count: "30" });
});

test("what a page asks for before the SDK is there answers without it", () => {
  expect([Sentry.getReplay(), Sentry.getFeedback()]).toEqual([undefined, undefined]);
  expect(() => Sentry.uiProfiler.startProfiler()).not.toThrow();
  expect(String(Sentry.parameterize`${3} lamps`)).toBe("3 lamps");
});

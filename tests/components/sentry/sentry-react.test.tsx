import * as Sentry from "@signpost/sentry";
import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { takeErrors } from "@/lib/sentry/src/browser/first-load/error-queue";

Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });

test("React's error handler reports, and hands the event's id to the app", () => {
  const seen = vi.fn();
  const error = new Error("in a root");
  Sentry.reactErrorHandler(seen)(error, { componentStack: "" });
  const [reported] = takeErrors();
  expect(reported).toMatchObject({ error });
  expect(seen).toHaveBeenCalledWith(error, { componentStack: "" }, reported?.reference);
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

test("a profiled component is shown, and measured until it is there", () => {
  const Cart = Sentry.withProfiler(function Cart({ items }: { items: number }) {
    Sentry.useProfiler("Items");
    return <p>{items} lamps</p>;
  });
  render(<Cart items={3} />);
  expect(screen.getByText("3 lamps")).toBeTruthy();
  const names = performance.getEntriesByType("measure").map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["<Cart>", "<Items>"]));
});

test("what a page asks for before the SDK is there answers without it", () => {
  expect([Sentry.isEnabled(), Sentry.getReplay(), Sentry.getFeedback()]).toEqual([
    true,
    undefined,
    undefined,
  ]);
  expect(() => Sentry.uiProfiler.startProfiler()).not.toThrow();
  expect(String(Sentry.parameterize`${3} lamps`)).toBe("3 lamps");
});

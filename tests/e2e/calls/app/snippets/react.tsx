import { Component, createElement, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { createRoot, type RootOptions } from "react-dom/client";
import { Sentry } from "../sentry";
import { browser, type Snippet } from "./snippet";
import { wrong } from "./wrong";

/** Shows something in the page, and gives the text that is there then. */
function shown(what: ReactNode, options: RootOptions = silent) {
  const element = document.createElement("div");
  const root = createRoot(element, options);
  flushSync(() => root.render(what));
  return {
    text: () => element.textContent,
    show: (next: ReactNode) => flushSync(() => root.render(next)),
    remove: () => flushSync(() => root.unmount()),
  };
}

const silent: RootOptions = { onCaughtError() {}, onUncaughtError() {}, onRecoverableError() {} };

function Failing({ text }: { text: string }): never {
  throw new Error(text);
}

Failing.displayName = "Failing";

const hasComponents = (stack: unknown) => /\bat |@/.test(String(stack));

export const react: Snippet[] = [
  {
    name: "ErrorBoundary with an element as fallback",
    in: browser,
    run: () =>
      shown(
        <Sentry.ErrorBoundary fallback={<p>An error has occurred</p>}>
          <Failing text="In a boundary" />
        </Sentry.ErrorBoundary>,
      ).text(),
  },
  {
    name: "ErrorBoundary around what does not fail",
    in: browser,
    run: () =>
      shown(
        <Sentry.ErrorBoundary fallback={<p>No</p>}>
          <p>Fine</p>
        </Sentry.ErrorBoundary>,
      ).text(),
  },
  {
    name: "ErrorBoundary with a function as fallback, which resets it",
    in: browser,
    run: () => {
      let fails = true;
      let reset = () => {};
      const seen: unknown[] = [];
      const Sometimes = () => (fails ? <Failing text="Sometimes" /> : <p>Back again</p>);
      const page = shown(
        <Sentry.ErrorBoundary
          fallback={({ error, componentStack, eventId, resetError }) => {
            reset = resetError;
            seen.push(error, hasComponents(componentStack), eventId);
            return <p>Fallen back</p>;
          }}
          onReset={(error, componentStack, eventId) =>
            seen.push("reset", error, hasComponents(componentStack), eventId)
          }
        >
          <Sometimes />
        </Sentry.ErrorBoundary>,
      );
      const before = page.text();
      fails = false;
      flushSync(() => reset());
      return [before, page.text(), seen.slice(-7)];
    },
  },
  {
    name: "ErrorBoundary's callbacks",
    in: browser,
    run: () => {
      const seen: unknown[] = [];
      const page = shown(
        <Sentry.ErrorBoundary
          onMount={() => seen.push("mount")}
          beforeCapture={(scope, error, stack) => {
            scope.setTag("location", "first");
            seen.push(["before", error, hasComponents(stack)]);
          }}
          onError={(error, stack, id) => seen.push(["error", error, hasComponents(stack), id])}
          onUnmount={(error, stack, id) => seen.push(["unmount", error, hasComponents(stack), id])}
        >
          <Failing text="With callbacks" />
        </Sentry.ErrorBoundary>,
      );
      const text = page.text();
      page.remove();
      return [text, seen];
    },
  },
  {
    name: "ErrorBoundary that says handled itself",
    in: browser,
    run: () =>
      shown(
        <Sentry.ErrorBoundary handled={false} fallback={<p>Fallback</p>}>
          <Failing text="Not handled" />
        </Sentry.ErrorBoundary>,
      ).text(),
  },
  {
    name: "ErrorBoundary without a fallback",
    in: browser,
    run: () =>
      shown(
        <Sentry.ErrorBoundary>
          <Failing text="Without a fallback" />
        </Sentry.ErrorBoundary>,
      ).text(),
  },
  {
    name: "ErrorBoundary with a text as fallback",
    in: browser,
    run: () =>
      shown(
        <Sentry.ErrorBoundary fallback={wrong("A bare text")}>
          <Failing text="With a text" />
        </Sentry.ErrorBoundary>,
      ).text(),
  },
  {
    name: "ErrorBoundary with a function as child",
    in: browser,
    run: () =>
      shown(<Sentry.ErrorBoundary>{() => <p>Of a function</p>}</Sentry.ErrorBoundary>).text(),
  },
  {
    name: "ErrorBoundary of an error that was captured before",
    differs: [{ what: "gives.0", why: "An error that is captured again has the id of its event." }],
    in: browser,
    run: () => {
      const error = new Error("Captured before the boundary");
      const first = Sentry.captureException(error);
      const Throws = (): never => {
        throw error;
      };
      const ids: string[] = [];
      shown(
        <Sentry.ErrorBoundary onError={(_error, _stack, id) => ids.push(id)}>
          <Throws />
        </Sentry.ErrorBoundary>,
      );
      return [first === ids[0], ids.length];
    },
  },
  {
    name: "ErrorBoundary of what is no error",
    in: browser,
    run: () => {
      const Throws = (): never => {
        throw "A thrown text";
      };
      return shown(
        <Sentry.ErrorBoundary fallback={<p>Fallback</p>}>
          <Throws />
        </Sentry.ErrorBoundary>,
      ).text();
    },
  },
  {
    name: "withErrorBoundary",
    in: browser,
    run: () => {
      const Wrapped = Sentry.withErrorBoundary(Failing, { fallback: <p>Wrapped</p> });
      return [Wrapped.displayName, shown(<Wrapped text="In a wrapped component" />).text()];
    },
  },
  {
    name: "withErrorBoundary keeps statics",
    in: browser,
    run: () => {
      const Page = Object.assign(() => <p>Page</p>, {
        displayName: "Page",
        getLayout: () => "layout",
        getInitialProps: async () => ({}),
      });
      const Wrapped = wrong<typeof Page>(Sentry.withErrorBoundary(Page, {}));
      return [Wrapped.displayName, Wrapped.getLayout?.(), typeof Wrapped.getInitialProps];
    },
  },
  {
    name: "withErrorBoundary of a component without a name",
    in: browser,
    run: () => Sentry.withErrorBoundary(createNameless(), {}).displayName,
  },
  {
    name: "withErrorBoundary keeps what a class inherits",
    in: browser,
    run: () => {
      class Base extends Component {
        static inherited = () => "inherited";
        override render() {
          return <p>Base</p>;
        }
      }
      class Derived extends Base {
        static displayName = "Derived";
      }
      const Wrapped = wrong<typeof Derived>(Sentry.withErrorBoundary(Derived, {}));
      return [Wrapped.displayName, Wrapped.inherited?.()];
    },
  },
  {
    name: "withProfiler",
    in: browser,
    run: () => {
      const App = Object.assign(() => <p>Profiled</p>, { displayName: "App" });
      const Wrapped = Sentry.withProfiler(App);
      return [Wrapped.displayName, shown(<Wrapped />).text()];
    },
  },
  {
    name: "withProfiler with a name, without updates",
    in: browser,
    run: () => {
      const Wrapped = Sentry.withProfiler(() => <p>Named</p>, {
        name: "Named",
        includeUpdates: false,
        includeRender: false,
      });
      const page = shown(<Wrapped />);
      page.show(<Wrapped />);
      page.remove();
    },
  },
  {
    name: "withProfiler that is disabled",
    in: browser,
    run: () => {
      const Wrapped = Sentry.withProfiler(() => <p>Disabled</p>, { name: "Off", disabled: true });
      return shown(<Wrapped />).text();
    },
  },
  {
    name: "withProfiler keeps statics",
    in: browser,
    run: () => {
      const Page = Object.assign(() => <p>Page</p>, {
        getLayout: () => "layout",
        getInitialProps: async () => ({}),
      });
      const Wrapped = wrong<typeof Page>(Sentry.withProfiler(Page, { name: "Page" }));
      return [Wrapped.getLayout?.(), typeof Wrapped.getInitialProps];
    },
  },
  {
    name: "withProfiler of a component without a name",
    in: browser,
    run: () => {
      const Wrapped = Sentry.withProfiler(createNameless());
      shown(<Wrapped />);
      return Wrapped.displayName;
    },
  },
  {
    name: "Profiler, through an update and its end",
    in: browser,
    run: () => {
      const at = (n: number) => (
        <Sentry.Profiler name="Cart" updateProps={{ n }}>
          <p>{n}</p>
        </Sentry.Profiler>
      );
      const page = shown(at(1));
      page.show(at(2));
      page.show(at(2));
      const text = page.text();
      page.remove();
      return text;
    },
  },
  {
    name: "useProfiler",
    in: browser,
    run: () => {
      const Hooked = () => {
        Sentry.useProfiler("Hooked");
        return <p>Hooked</p>;
      };
      const page = shown(<Hooked />);
      const text = page.text();
      page.remove();
      return text;
    },
  },
  {
    name: "reactErrorHandler as React's own callbacks",
    in: browser,
    run: () => {
      const seen: unknown[] = [];
      const page = shown(<Failing text="Uncaught by React" />, {
        ...silent,
        onUncaughtError: Sentry.reactErrorHandler((error, info, id) =>
          seen.push([error, hasComponents(info.componentStack), id]),
        ),
      });
      return [page.text(), seen];
    },
  },
  {
    name: "reactErrorHandler without a callback",
    in: browser,
    run: () => {
      shown(<Failing text="Uncaught, without a callback" />, {
        ...silent,
        onUncaughtError: Sentry.reactErrorHandler(),
      });
    },
  },
  {
    name: "reactErrorHandler that is called by hand",
    in: browser,
    run: () =>
      Sentry.reactErrorHandler()(new Error("By hand"), {
        componentStack: "\n    at Cart (c.js:1)",
      }),
  },
  {
    name: "createReduxEnhancer",
    in: browser,
    run: () => {
      const store = storeWith(
        Sentry.createReduxEnhancer({
          actionTransformer: (action) => (action.type === "secret" ? null : action),
          stateTransformer: (state) => ({ ...state, hidden: null }),
          configureScopeWithState: (scope, state) => scope.setTag("items", String(state.items)),
        }),
      );
      store.dispatch({ type: "add", items: 2 });
      store.dispatch({ type: "secret" });
      Sentry.captureException(new Error("With a store"));
      return store.getState();
    },
  },
  {
    name: "createReduxEnhancer without options",
    in: browser,
    run: () => {
      const store = storeWith(Sentry.createReduxEnhancer());
      store.dispatch({ type: "add", items: 3 });
      Sentry.captureMessage("With a store without options");
      return store.getState();
    },
  },
  {
    name: "createReduxEnhancer that attaches no state",
    in: browser,
    run: () => {
      const store = storeWith(Sentry.createReduxEnhancer({ attachReduxState: false }));
      store.dispatch({ type: "add", items: 4 });
      Sentry.captureMessage("With a store that is not attached");
    },
  },
];

const createNameless = () =>
  [() => createElement("p", null, "Nameless")][0] as React.FunctionComponent;

interface Action {
  type: string;
  items?: number;
}
interface State {
  items: number;
  hidden?: unknown;
}
type Reducer = (state: State | undefined, action: Action) => State;

/** The least of a Redux store that an enhancer needs. */
function storeWith(enhancer: (create: typeof createStore) => typeof createStore) {
  return enhancer(createStore)((state = { items: 0, hidden: "hidden" }, { items = 0 }) => ({
    ...state,
    items: state.items + items,
  }));
}

function createStore(reducer: Reducer) {
  let reduce = reducer;
  let state = reduce(undefined, { type: "@@init" });
  return {
    dispatch(action: Action) {
      state = reduce(state, action);
      return action;
    },
    getState: () => state,
    replaceReducer(next: Reducer) {
      reduce = next;
    },
  };
}

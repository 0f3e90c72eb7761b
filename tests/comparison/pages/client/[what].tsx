import * as Sentry from "@signpost/sentry";
import { useRouter } from "next/router";
import { useState } from "react";

/** Does in the browser what its address names, when its button is pressed. */
export default function Client() {
  const { query } = useRouter();
  const [renders, setRenders] = useState("");
  const what = String(query.what);
  return (
    <article>
      <h1>Client</h1>
      <button type="button" id="act" onClick={() => (acts[what] ?? (() => setRenders(what)))()}>
        Act
      </button>
      <Sentry.ErrorBoundary fallback={<p>Caught</p>}>
        {renders === "boundary" && <Failing text="A boundary catches this" />}
      </Sentry.ErrorBoundary>
      {renders === "render" && <Failing text="A render fails in the browser" />}
    </article>
  );
}

const acts: Record<string, () => unknown> = {
  click() {
    throw new Error("A click fails");
  },
  promise() {
    Promise.reject(new Error("A promise is rejected"));
  },
  timer() {
    setTimeout(() => {
      throw new Error("A timer fails");
    });
  },
  capture() {
    Sentry.setUser({ id: "17", plan: "free" });
    Sentry.setTag("area", "checkout");
    Sentry.setContext("order", { number: 17 });
    Sentry.addBreadcrumb({ category: "cart", message: "A lamp is added", data: { items: 3 } });
    Sentry.captureException(new Error("A capture in the browser"), { extra: { items: 3 } });
    Sentry.captureMessage("A message of the browser", "warning");
  },
};

function Failing({ text }: { text: string }): never {
  throw new Error(text);
}

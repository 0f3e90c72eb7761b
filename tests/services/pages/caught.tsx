import { captureReactException } from "@signpost/sentry";
import { useState } from "react";

/** Catches an error in the browser, and reports it. */
export default function Caught() {
  const [reference, setReference] = useState("");
  return (
    <article>
      <h1>Caught</h1>
      <button
        type="button"
        onClick={() => setReference(captureReactException(new Error("Caught in the browser")))}
      >
        Catch
      </button>
      <output>{reference}</output>
    </article>
  );
}

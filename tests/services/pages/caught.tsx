import { useState } from "react";
import { captureException } from "@/lib/sentry/browser/first-load/report-error";

/** Catches an error in the browser, and reports it. */
export default function Caught() {
  const [reference, setReference] = useState("");
  return (
    <article>
      <h1>Caught</h1>
      <button
        type="button"
        onClick={() =>
          setReference(captureException(new Error("Caught in the browser"), "boundary"))
        }
      >
        Catch
      </button>
      <output>{reference}</output>
    </article>
  );
}

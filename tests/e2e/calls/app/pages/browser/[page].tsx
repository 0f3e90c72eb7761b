import * as Sentry from "@signpost/sentry";
import { useEffect, useState } from "react";
import { type Answer, answerOf } from "../../answer";

declare global {
  /** Runs snippets by their names, one after another. What comes of them is in `answers`. */
  var runSnippets: (names: string[], patience?: number) => void;
  var answers: Promise<Answer[]>;
  /** Whether the client is there, and was not closed. */
  var isReporting: () => boolean;
  /** Ends the span of the page load, where there is one. */
  var endPageLoad: () => void;
  /** Resolves once the page has sent what it has. */
  var untilSent: () => Promise<void>;
}

/** Made by the build: its visit is the browser's own, and continues no trace of the request. */
export default function Browser() {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    globalThis.isReporting = Sentry.isEnabled;
    globalThis.endPageLoad = () => {
      const active = Sentry.getActiveSpan();
      const root = active && Sentry.getRootSpan(active);
      if (root && Sentry.spanToJSON(root).attributes["sentry.op"] === "pageload") root.end();
    };
    globalThis.untilSent = async () => {
      for (let tries = 0; !(await Sentry.flush(5000)) && tries < 5; tries += 1);
    };
    const run = async (names: string[], patience?: number) => {
      const answers: Answer[] = [];
      for (const name of names) {
        empty(Sentry.getIsolationScope());
        answers.push(await Sentry.withScope(() => answerOf(name, patience)));
        // What a snippet has not waited for belongs to it, and not to the next one.
        await pause(10);
      }
      return answers;
    };
    globalThis.runSnippets = (...given) => {
      globalThis.answers = run(...given);
    };
    setReady(true);
  }, []);
  return <main>{isReady ? "Ready" : ""}</main>;
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** The browser has but one isolation scope: no snippet may see what another one has left there. */
function empty(scope: Sentry.Scope): void {
  const { tags, extra, contexts, attributes } = scope.getScopeData();
  for (const key of Object.keys(tags)) scope.setTag(key, undefined);
  for (const key of Object.keys(extra)) scope.setExtra(key, undefined);
  for (const key of Object.keys(contexts)) if (key !== "react") scope.setContext(key, null);
  for (const key of Object.keys(attributes ?? {})) scope.removeAttribute(key);
  scope.setUser(null).setFingerprint([]).clearBreadcrumbs().clearAttachments();
}

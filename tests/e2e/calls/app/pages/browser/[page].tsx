import * as Sentry from "@signpost/sentry";
import { useEffect, useState } from "react";
import { type Answer, answerOf } from "../../answer";

declare global {
  /** Runs snippets by their names, one after another. What comes of them is in `answers`. */
  var runSnippets: (names: string[]) => void;
  var answers: Promise<Answer[]>;
  var flushSentry: () => PromiseLike<boolean>;
}

/** Made by the build: its visit is the browser's own, and continues no trace of the request. */
export default function Browser() {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    // So that reports of pages that are open at the same time can be told apart.
    const { pathname } = location;
    Sentry.getGlobalScope().setTag("page", pathname).setAttribute("page", pathname);
    globalThis.flushSentry = () => Sentry.flush(5000);
    const run = async (names: string[]) => {
      const answers: Answer[] = [];
      for (const name of names) {
        empty(Sentry.getIsolationScope());
        answers.push(await Sentry.withScope(() => answerOf(name)));
        // What a snippet has not waited for belongs to it, and not to the next one.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return answers;
    };
    globalThis.runSnippets = (names) => {
      globalThis.answers = run(names);
    };
    setReady(true);
  }, []);
  return <main>{isReady ? "Ready" : ""}</main>;
}

/** The browser has but one isolation scope: no snippet may see what another one has left there. */
function empty(scope: Sentry.Scope): void {
  const { tags, extra, contexts, attributes } = scope.getScopeData();
  for (const key of Object.keys(tags)) scope.setTag(key, undefined);
  for (const key of Object.keys(extra)) scope.setExtra(key, undefined);
  for (const key of Object.keys(contexts)) if (key !== "react") scope.setContext(key, null);
  for (const key of Object.keys(attributes ?? {})) scope.removeAttribute(key);
  scope.setUser(null).setFingerprint([]).clearBreadcrumbs().clearAttachments();
}

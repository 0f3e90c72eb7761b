import { useRouter } from "next/router";
import { type FormEvent, type ReactNode, useState } from "react";
import { basePath } from "@/lib/navigation/location";
import styles from "./api-form.module.css";
import buttons from "./button.module.css";

interface Props {
  /** Of the API route, without base path. */
  path: string;
  /** The page that comes next, or the present one, which gets its data anew. */
  next: string;
  /** What the button says. */
  submit: string;
  /** What the visitor is told where it could not be sent. */
  failed: string;
  /** The fields, if there are any. */
  children?: ReactNode;
  quiet?: boolean;
}

/**
 * A form that an API route answers, with `answerForm`. It works without JavaScript; with it, no page is
 * loaded. A form's `action` and `fetch` know no base path, other than `next/link` and the router.
 */
export function ApiForm({ path, next, submit, failed, children, quiet }: Props) {
  const router = useRouter();
  const [state, setState] = useState<"sending" | "failed">();

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (state === "sending") return;
    setState("sending");
    const form = event.currentTarget;
    const answer = await fetch(basePath + path, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(
        [...new FormData(form)].map(([name, value]) => [name, String(value)]),
      ),
    }).catch(() => undefined);
    if (!answer?.ok) {
      setState("failed");
      return;
    }
    setState(undefined);
    // The visitor has gone on to another page.
    if (!form.isConnected) return;
    form.reset();
    await router.push(next, undefined, { scroll: false });
  }

  return (
    <form method="post" action={basePath + path} onSubmit={onSubmit} className={styles.form}>
      <input type="hidden" name="locale" value={router.locale} />
      {children}
      <button
        type="submit"
        className={quiet ? `${buttons.button} ${buttons.quiet}` : buttons.button}
        aria-disabled={state === "sending"}
      >
        {submit}
      </button>
      {state === "failed" && <p role="alert">{failed}</p>}
    </form>
  );
}

import { useRouter } from "next/router";
import { useState } from "react";
import button from "@/components/button.module.css";
import type { ErrorReportView } from "@/lib/inbox/views/error-report-view";
import { errorMarkdown } from "@/lib/inbox/views/markdown";
import { inboxMessages } from "@/lib/messages/inbox";
import { toLocale } from "@/lib/messages/locales";
import { urlOf } from "@/lib/routes/location";
import styles from "./take-away.module.css";

/** An error as text for an issue, and as a file. Without JavaScript, the text is there to be copied. */
export function TakeAway({ view }: { view: ErrorReportView }) {
  const { locale } = useRouter();
  const { report } = inboxMessages;
  const [said, setSaid] = useState<string>();
  const [open, setOpen] = useState(false);
  const markdown = errorMarkdown(view);

  async function copy() {
    try {
      await navigator.clipboard.writeText(markdown);
      setSaid(report.copied);
    } catch {
      // There is no clipboard over plain HTTP from another host, or the browser forbids it.
      setSaid(report.copyFailed);
      setOpen(true);
    }
  }

  return (
    <section className={styles.take}>
      <h2>{report.exports}</h2>
      <div className={styles.buttons}>
        <button
          type="button"
          className={`${button.button} ${button.quiet} ${styles.scripted}`}
          onClick={copy}
        >
          {report.copy}
        </button>
        {view.download !== undefined && (
          <a
            href={urlOf({ path: view.download, locale: toLocale(locale) })}
            download
            className={`${button.button} ${button.quiet}`}
          >
            {report.download}
          </a>
        )}
        <span role="status">{said}</span>
      </div>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{report.markdown}</summary>
        <textarea readOnly rows={12} dir="ltr" aria-label={report.markdown} value={markdown} />
      </details>
    </section>
  );
}

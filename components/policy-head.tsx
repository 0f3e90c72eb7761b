import { Head } from "next/document";
import type { ReactElement } from "react";
import { contentSecurityPolicy } from "@/lib/http/content-security-policy";
import { headScript } from "@/lib/reporting/browser/report-error";

type Files = Parameters<Head["getScripts"]>[0];

/**
 * Next's `<Head>` with the page's content security policy before its scripts. The policy has the
 * hashes of the inline scripts that Next adds; they are known when the page is rendered.
 */
export class PolicyHead extends Head {
  override getScripts(files: Files) {
    const scripts = super.getScripts(files);
    const inline = [headScript, ...scripts.flatMap(inlineTextOf)];
    const policy = contentSecurityPolicy(inline, this.context.isDevelopment ?? false);
    return [
      <meta key="policy" httpEquiv="Content-Security-Policy" content={policy} />,
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours
      <script key="early" dangerouslySetInnerHTML={{ __html: headScript }} />,
      ...scripts,
    ] as typeof scripts;
  }
}

function inlineTextOf(script: unknown): string[] {
  const { dangerouslySetInnerHTML: inner } = (
    script as ReactElement<{ dangerouslySetInnerHTML?: { __html: string } }>
  ).props;
  return inner ? [inner.__html] : [];
}

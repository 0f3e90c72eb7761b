import { headScript } from "@signpost/sentry/document";
import { Head } from "next/document";
import Script from "next/script";
import { Children, cloneElement, isValidElement, type ReactElement, type ReactNode } from "react";
import { contentSecurityPolicy } from "@/lib/policy/content-security-policy";

/** The props that this file reads of an element. */
interface Props {
  children?: ReactNode;
  dangerouslySetInnerHTML?: { __html: string };
}

/**
 * Next's `<Head>`, with the page's content security policy and our first script before everything
 * else. The policy has the hashes of all inline scripts in the head, Next's own and the page's: they
 * are known when the page is rendered.
 */
export class PolicyHead extends Head {
  override render() {
    refuseScripts(this.props.children);
    const head = super.render() as ReactElement<Props>;
    const scripts = [headScript, ...inlineScriptsIn(head)];
    const policy = contentSecurityPolicy(scripts, this.props.nonce);
    return cloneElement(
      head,
      undefined,
      <meta httpEquiv="Content-Security-Policy" content={policy} />,
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours
      <script dangerouslySetInnerHTML={{ __html: headScript }} />,
      ...Children.toArray(head.props.children),
    );
  }
}

/** Next's document finds `next/script` in its own `<Head>` and in `<body>`, but not in this one. */
function refuseScripts(children: ReactNode): void {
  for (const child of Children.toArray(children)) {
    if (!isValidElement(child) || child.type !== Script) continue;
    throw new Error(
      "next/script has no effect in the head of pages/_document.tsx. Put it into <body>, after <NextScript />.",
    );
  }
}

/** The texts of all inline scripts in a tree of elements. Components are not rendered. */
function inlineScriptsIn(node: ReactNode): string[] {
  return Children.toArray(node).flatMap((child) => {
    if (!isValidElement<Props>(child)) return [];
    const { children, dangerouslySetInnerHTML } = child.props;
    if (child.type !== "script") return inlineScriptsIn(children);
    return [dangerouslySetInnerHTML?.__html ?? Children.toArray(children).join("")].filter(Boolean);
  });
}

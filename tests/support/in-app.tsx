import { render } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import { StaticRouter } from "@/components/static-router";
import type { Locale } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";
import { catalogue } from "@/tests/support/texts";

/** Renders a component in its language and at its place, as `_app` does. */
export function renderInApp(element: ReactElement, locale: Locale = "en", asPath = "/server") {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <StaticRouter pathname="/server" asPath={asPath} locale={locale}>
      <MessagesContext value={catalogue[locale]}>{children}</MessagesContext>
    </StaticRouter>
  );
  return render(element, { wrapper });
}

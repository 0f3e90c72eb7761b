import { render } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import { catalogue } from "@/lib/messages/catalogue";
import type { Locale } from "@/lib/messages/locales.js";
import { MessagesContext } from "@/lib/messages/messages";
import { RouteContext } from "@/lib/navigation/route";

/** Renders a component in its language and at its place, as `_app` does. */
export function renderInApp(element: ReactElement, locale: Locale = "en", asPath = "/server") {
  const route = { pathname: "/server", asPath, isFallback: false, locale };
  const wrapper = ({ children }: { children: ReactNode }) => (
    <RouteContext value={route}>
      <MessagesContext value={catalogue[locale]}>{children}</MessagesContext>
    </RouteContext>
  );
  return render(element, { wrapper });
}

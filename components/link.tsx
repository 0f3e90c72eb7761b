import type { ComponentProps } from "react";
import { useRoute } from "@/lib/navigation/route";
import { urlOf } from "@/lib/routes/location";

/**
 * A link to a place in the app, in the present language unless told otherwise. A plain `<a>`: lib/
 * navigation/links.ts makes every one of them navigate by the router.
 *
 * @param props.href URL path from `href()`, without base path and locale
 */
export function Link({
  href,
  locale,
  ...rest
}: ComponentProps<"a"> & { href: string; locale?: ReturnType<typeof useRoute>["locale"] }) {
  const route = useRoute();
  return <a href={urlOf({ path: href, locale: locale ?? route.locale })} {...rest} />;
}

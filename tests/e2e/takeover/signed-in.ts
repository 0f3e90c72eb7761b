import type { ProjectCopy } from "./takeover";

const signedIn = `import * as Sentry from "@signpost/sentry";

export function signedIn({ cookies }: { cookies: Partial<Record<string, string>> }) {
  const userId = cookies.user ?? null;
  Sentry.setUser(userId ? { id: userId } : null);
  return { userId };
}
`;

/** A signed-in user, who is told on both sides: the budget is raised as docs/sentry.md says. */
export function signIn(copy: ProjectCopy): void {
  copy.write("lib/app/signed-in.ts", signedIn);
  const app = "pages/_app.tsx";
  copy.addLines(
    app,
    'import type { AppProps } from "next/app";',
    'import { useEffect } from "react";',
    'import * as Sentry from "@signpost/sentry";',
  );
  copy.addLines(
    app,
    "  const { pathname, asPath, locale, isReady } = router;",
    "  const { userId } = pageProps;",
    "  useEffect(() => {",
    "    if (userId) Sentry.setUser({ id: userId });",
    "  }, [userId]);",
  );
  copy.replace("scripts/first-load.ts", "firstLoadBudget = 116_969", "firstLoadBudget = 121_969");
}

import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { sharePackages } from "./project-copy.js";

/*
 * A small app as create-next-app 16 makes it for the pages router, with src/, after Sentry's wizard 8 has
 * run in it: the wizard's lines, as its published package writes them, with the options that it asks for.
 * The DSN comes from the environment, so that a stand-in of the service can be named.
 */

const options = `  dsn: process.env.NEXT_PUBLIC_SENTRY_DSN,
  tracesSampleRate: 1,
  traceLifecycle: "static",
`;

const init = `import * as Sentry from "@sentry/nextjs";

Sentry.init({
${options}});
`;

const files: Record<string, string> = {
  ".gitignore": "node_modules\n.next\n",
  "package.json": `{
  "name": "shop",
  "version": "0.1.0",
  "private": true,
  "scripts": { "dev": "next dev", "build": "next build", "start": "next start" },
  "dependencies": { "@sentry/nextjs": "11.5.0", "next": "16.4.5", "react": "19.3.1", "react-dom": "19.3.1" }
}
`,
  "tsconfig.json": `{
  "compilerOptions": {
    "target": "ES2017",
    "lib": ["dom", "dom.iterable", "es2022"],
    "allowJs": true,
    "skipLibCheck": true,
    "strict": true,
    "noEmit": true,
    "esModuleInterop": true,
    "module": "esnext",
    "moduleResolution": "bundler",
    "resolveJsonModule": true,
    "isolatedModules": true,
    "jsx": "react-jsx",
    "incremental": true,
    "paths": { "@/*": ["./src/*"] }
  },
  "include": ["next-env.d.ts", "**/*.ts", "**/*.tsx"],
  "exclude": ["node_modules"]
}
`,
  "next.config.ts": `import type { NextConfig } from "next";
import { withSentryConfig } from "@sentry/nextjs/config";

const nextConfig: NextConfig = {
  reactStrictMode: true,
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
};

export default withSentryConfig(nextConfig, {
  org: "acme",
  project: "shop",
  silent: true,
  telemetry: false,
  sourcemaps: { disable: true },
  widenClientFileUpload: true,
  tunnelRoute: "/monitoring",
});
`,
  "sentry.server.config.ts": init,
  "sentry.edge.config.ts": init,
  "src/instrumentation.ts": `import * as Sentry from "@sentry/nextjs";

export async function register() {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    await import("../sentry.server.config");
  }

  if (process.env.NEXT_RUNTIME === "edge") {
    await import("../sentry.edge.config");
  }
}

export const onRequestError = Sentry.captureRequestError;
`,
  "src/instrumentation-client.ts": `import * as Sentry from "@sentry/nextjs";

Sentry.init({
${options}  integrations: [Sentry.replayIntegration()],
  replaysSessionSampleRate: 0,
  replaysOnErrorSampleRate: 0,
});

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;
`,
  "src/proxy.ts": `import { NextResponse } from "next/server";

export function proxy() {
  const response = NextResponse.next();
  response.headers.set("x-shop", "open");
  return response;
}

export const config = { matcher: "/blog/:path*" };
`,
  "src/pages/_app.tsx": `import * as Sentry from "@sentry/nextjs";
import type { AppProps } from "next/app";
import { useEffect } from "react";

export default function App({ Component, pageProps }: AppProps) {
  useEffect(() => {
    const id = /customer=(\\w+)/.exec(document.cookie)?.[1];
    Sentry.setUser(id ? { id } : null);
    Sentry.setTag("tenant", "acme");
  }, []);
  return <Component {...pageProps} />;
}
`,
  "src/pages/_document.tsx": `import { Head, Html, Main, NextScript } from "next/document";

export default function Document() {
  return (
    <Html lang="en">
      <Head>
        <script dangerouslySetInnerHTML={{ __html: 'if (location.search === "?inline") throw new Error("inline");' }} />
      </Head>
      <body>
        <Main />
        <NextScript />
      </body>
    </Html>
  );
}
`,
  "src/pages/_error.tsx": `import * as Sentry from "@sentry/nextjs";
import type { NextPage, NextPageContext } from "next";
import Error, { type ErrorProps } from "next/error";

const CustomErrorComponent: NextPage<ErrorProps> = (props) => {
  return <Error statusCode={props.statusCode} />;
};

CustomErrorComponent.getInitialProps = async (contextData: NextPageContext) => {
  await Sentry.captureUnderscoreErrorException(contextData);
  return Error.getInitialProps(contextData);
};

export default CustomErrorComponent;
`,
  "src/pages/index.tsx": `import * as Sentry from "@sentry/nextjs";
import Link from "next/link";
import { useEffect } from "react";

async function order() {
  await Sentry.startSpan({ name: "load orders", op: "function" }, () => fetch("/api/orders"));
  Sentry.addBreadcrumb({ category: "cart", message: "order sent" });
  Sentry.captureMessage("ordered");
}

function leave() {
  setTimeout(() => location.assign("/blog/left"));
  throw new Error("left");
}

export default function Home() {
  useEffect(() => {
    const thrown = new URLSearchParams(location.search).get("throw");
    if (thrown) setTimeout(() => {
      throw new Error(thrown);
    });
  }, []);
  const fail = (what: string) => () => {
    throw new Error(what);
  };
  return (
    <main>
      <h1>Shop</h1>
      {["late", "offline", "blocked"].map((what) => (
        <button key={what} onClick={fail(what)}>{what}</button>
      ))}
      <button onClick={leave}>left</button>
      <button onClick={order}>order</button>
      <button onClick={() => Sentry.captureException(new Error("caught"), { tags: { area: "checkout" } })}>caught</button>
      <button onClick={() => Promise.reject(new Error("rejected"))}>rejected</button>
      <button onClick={() => Sentry.captureFeedback({ message: "I like it", name: "Kim" })}>feedback</button>
      <Link href="/blog/one">one</Link>
    </main>
  );
}
`,
  "src/pages/blog/[slug].tsx": `import type { GetServerSideProps } from "next";

export const getServerSideProps: GetServerSideProps = async ({ params }) => {
  if (params?.slug === "broken") throw new Error("no such post");
  return { props: { slug: params?.slug } };
};

export default function Post({ slug }: { slug: string }) {
  return <h1>{slug}</h1>;
}
`,
  "src/pages/api/orders.ts": `import * as Sentry from "@sentry/nextjs";
import type { NextApiRequest, NextApiResponse } from "next";

async function handler(req: NextApiRequest, res: NextApiResponse) {
  if (req.query.fail) throw new Error(String(req.query.fail));
  res.json([]);
}

export default Sentry.wrapApiHandlerWithSentry(handler, "/api/orders");
`,
};

/** Writes the app into a folder below the project, with the project's packages. */
export function writeExistingApp(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (name !== "node_modules") rmSync(join(folder, name), { recursive: true });
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  sharePackages(folder);
}

/**
 * Puts the package into the app as its README says: the tarball, and its name in place of Sentry's in each
 * import; and the first script into _document.
 */
export function installPackage(folder: string): void {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", resolve(folder)], {
    cwd: "lib/sentry",
    stdio: ["ignore", "ignore", "inherit"],
  });
  const tarball = globSync("*.tgz", { cwd: folder })[0] ?? "";
  const installed = join(folder, "node_modules/@signpost/sentry");
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", installed, "--strip-components=1"]);
  for (const path of Object.keys(files)) {
    const file = join(folder, path);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/"@sentry\/nextjs(\/config)?"/g, '"@signpost/sentry$1"'));
  }
  const document = join(folder, "src/pages/_document.tsx");
  const text = readFileSync(document, "utf8").replace(
    "<Head>",
    "<Head>\n        <script dangerouslySetInnerHTML={{ __html: headScript }} />",
  );
  writeFileSync(document, `import { headScript } from "@signpost/sentry/document";\n${text}`);
}

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transformWithOxc } from "vite";
import { nextBuild } from "../../support/next-build.ts";
import { packPackages } from "../../support/packed.ts";
import { completeStandalone } from "../../support/standalone.ts";

/*
 * Two small apps as create-next-app 16 makes them for the pages router, after Sentry's wizard 8 has run in
 * them: the wizard's lines, as its published package writes them, with the options that it asks for. The
 * DSN comes from the environment, so that a stand-in of the service can be named.
 */

const { dependencies, devDependencies, overrides } = JSON.parse(
  readFileSync("package.json", "utf8"),
) as Record<"dependencies" | "devDependencies" | "overrides", Record<string, string>>;

/** The versions of this project. */
const pick = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, dependencies[name] ?? devDependencies[name]]));

const options = `  dsn: process.env.NEXT_PUBLIC_SENTRY_DSN,
  tracesSampleRate: 1,
  traceLifecycle: "static",
`;

const init = `import * as Sentry from "@sentry/nextjs";

Sentry.init({
${options}});
`;

/** By path, as TypeScript below src/. */
const code: Record<string, string> = {
  "next.config.ts": `import type { NextConfig } from "next";
import { withSentryConfig } from "@sentry/nextjs/config";

const nextConfig: NextConfig = {
  reactStrictMode: true,
  output: OUTPUT,
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
  "src/components/title.tsx": `export function Title({ of }: { of: string }) {
  return <h1>{of}</h1>;
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
import { Title } from "@/components/title";

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
      <Title of="Shop" />
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
  "src/pages/api/edge.ts": `import * as Sentry from "@sentry/nextjs";

export const config = { runtime: "edge" };

export default async function handler() {
  Sentry.captureMessage("from the edge");
  await Sentry.flush(2000);
  return new Response("[]");
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

interface Kind {
  /** What create-next-app writes beside the code. */
  files: Record<string, string>;
  /** Path and text in this app of a file of `code`. */
  write(path: string, text: string): Promise<[path: string, text: string]>;
  packages: Record<string, Record<string, string | undefined>>;
  /** For `next build`. */
  bundler: string[];
}

const kinds = {
  /** `src/`, TypeScript, Turbopack, `next start`. */
  typescript: {
    files: {
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
    },
    write: async (path, text) => [path, text.replace("OUTPUT", "undefined")],
    packages: {
      dependencies: pick("next", "react", "react-dom", "@sentry/nextjs"),
      devDependencies: pick("typescript", "@types/node", "@types/react"),
    },
    bundler: [],
  },
  /** JavaScript without a `tsconfig.json`, an alias of its own, webpack, standalone, `pg`. */
  javascript: {
    files: { "jsconfig.json": '{ "compilerOptions": { "paths": { "~/*": ["./*"] } } }\n' },
    async write(path, text) {
      const js = await transformWithOxc(text.replace("OUTPUT", '"standalone"'), path, {
        lang: "tsx",
        jsx: "preserve",
        sourcemap: false,
      });
      const own = js.code.replaceAll('"@/', '"~/').replaceAll('"../sentry', '"./sentry');
      return [path.replace(/^src\//, "").replace(/\.ts(x?)$/, ".js$1"), own];
    },
    packages: { dependencies: pick("next", "react", "react-dom", "@sentry/nextjs", "pg") },
    bundler: ["--webpack"],
  },
} satisfies Record<string, Kind>;

/** One of these apps in a folder of its own, outside of the project, with its own packages. */
export class ExistingApp {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "signpost-shop-")));
  readonly #kind: Kind;
  #code: [path: string, text: string][] = [];

  constructor(kind: keyof typeof kinds) {
    this.#kind = kinds[kind];
  }

  async write(): Promise<void> {
    const { files, packages, write } = this.#kind;
    const scripts = { dev: "next dev", build: "next build", start: "next start" };
    const manifest = { name: "shop", version: "0.1.0", private: true, type: "module", scripts };
    const text = JSON.stringify({ ...manifest, ...packages, overrides }, undefined, 2);
    this.#put("package.json", `${text}\n`);
    for (const [path, file] of Object.entries(files)) this.#put(path, file);
    this.#code = await Promise.all(Object.entries(code).map(([path, file]) => write(path, file)));
    for (const file of this.#code) this.#put(...file);
  }

  /**
   * Takes the package as its README says: the tarballs, and its name in place of Sentry's in each import;
   * and the first script in _document.
   */
  takePackage(): void {
    const tarballs = Object.values(packPackages(this.folder)).map((file) => `./${file}`);
    // With this, npm has to change the folder once only.
    this.#npm("pkg", "delete", "dependencies.@sentry/nextjs");
    this.#npm("install", ...tarballs);
    for (const [path, text] of this.#code) {
      const renamed = text.replace(/"@sentry\/nextjs(\/config)?"/g, '"@signpost/sentry$1"');
      this.#put(path, path.includes("pages/_document.") ? withHeadScript(renamed) : renamed);
    }
  }

  /** Takes the package out again. */
  leavePackage(): void {
    this.#npm("pkg", "set", `dependencies.@sentry/nextjs=${devDependencies["@sentry/nextjs"]}`);
    this.#npm("uninstall", "@signpost/sentry", "@signpost/relay");
    for (const file of this.#code) this.#put(...file);
  }

  /** @returns the script that Node serves the build with, its folder, and its arguments */
  async build(variables: Record<string, string>): Promise<[string, string, string[]]> {
    const { folder } = this;
    await nextBuild(folder, variables, this.#kind.bundler);
    const standalone = join(folder, ".next/standalone");
    if (!existsSync(standalone)) return ["node_modules/next/dist/bin/next", folder, ["start"]];
    completeStandalone(folder, standalone);
    return ["server.js", standalone, []];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #put(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  #npm(...args: string[]): void {
    const quietly = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    const { folder: cwd } = this;
    execFileSync("npm", [...args, ...quietly], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  }
}

function withHeadScript(document: string): string {
  const script = "<script dangerouslySetInnerHTML={{ __html: headScript }} />";
  const own = document.replace("<Head>", `<Head>\n        ${script}`);
  return `import { headScript } from "@signpost/sentry/document";\n${own}`;
}

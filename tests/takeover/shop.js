/** @typedef {import("../support/recipes.js").Step} Step */

/**
 * What turns a copy without placeholders and with one language into another app: two pages of its
 * own, Tailwind, an image, an analytics script from another origin, and next-auth with credentials.
 *
 * @param {string} analytics origin of the script
 * @returns {Step[]}
 */
export function shop(analytics) {
  return [
    {
      kind: "edit",
      file: "lib/routes/table.ts",
      diff: `-  "/": { rendering: "static" },
+  "/": { rendering: "static", budget: 120_000 },
+  "/catalogue": { rendering: "static" },
+  "/products/[id]": { rendering: "server", example: { id: "1" } },
@@
 export const apiRoutes = [
+  "/api/auth/[...nextauth]",
`,
    },
    {
      kind: "edit",
      file: "lib/config/policy.ts",
      diff: `-export const allowedSources: AllowedSources = {};
+export const allowedSources: AllowedSources = {
+  "script-src": ["${analytics}"],
+  "connect-src": ["${analytics}"],
+};
`,
    },
    {
      kind: "edit",
      file: "lib/config/own.ts",
      diff: `-export const ownVariables = z.object({});
+export const ownVariables = z.object({
+  AUTH_SECRET: z.string().default("only-for-tests").meta({ secret: true }),
+});
`,
    },
    {
      kind: "edit",
      file: ".env.example",
      diff: ` # LOG_LEVEL=info
+# Signs the session's cookie.
+# AUTH_SECRET=only-for-tests
`,
    },
    {
      kind: "edit",
      file: "pages/_app.tsx",
      diff: ` import "@/components/base.css";
+import "@/components/tailwind.css";
`,
    },
    { kind: "write", file: "components/tailwind.css", text: '@import "tailwindcss";\n' },
    {
      kind: "write",
      file: "postcss.config.js",
      text: 'export default { plugins: { "@tailwindcss/postcss": {} } };\n',
    },
    {
      kind: "write",
      file: "pages/index.tsx",
      text: `import Image from "next/image";
import Link from "next/link";
import Script from "next/script";
import { useState } from "react";
import { href } from "@/lib/routes/routes";

export default function Home() {
  const [name, setName] = useState("nobody");
  async function enter() {
    // Later than the page itself: first-load JavaScript is scarce.
    const { getSession, signIn } = await import("next-auth/react");
    await signIn("credentials", { redirect: false, name: "Ada", password: "right" });
    setName((await getSession())?.user?.name ?? "refused");
  }
  return (
    <article className="mt-[7px]">
      <h1 tabIndex={-1}>Lamps</h1>
      <Image src="/lamp.svg" alt="A lamp" width={24} height={24} unoptimized />
      <p>
        <Link href={href("/catalogue")}>Catalogue</Link>
      </p>
      <p>Signed in: {name}</p>
      <button type="button" onClick={enter}>
        Sign in
      </button>
      <button type="button" onClick={breakDown}>
        Break
      </button>
      <Script src="${analytics}/analytics.js" />
    </article>
  );
}

function breakDown(): never {
  throw new Error("The lamp is broken");
}
`,
    },
    {
      kind: "write",
      file: "pages/catalogue.tsx",
      text: `import Link from "next/link";
import { PageHead } from "@/components/page-head";
import { href } from "@/lib/routes/routes";

export default function Catalogue({ ids }: { ids: string[] }) {
  return (
    <article>
      <PageHead title="Catalogue" />
      <h1 tabIndex={-1}>Catalogue</h1>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <Link href={href("/products/[id]", { id })}>Product {id}</Link>
          </li>
        ))}
      </ul>
    </article>
  );
}

export async function getStaticProps() {
  return { props: { ids: ["1", "2"] } };
}
`,
    },
    {
      kind: "write",
      file: "pages/products/[id].tsx",
      text: `import type { GetServerSideProps } from "next";
import { PageHead } from "@/components/page-head";

export default function Product({ name }: { name: string }) {
  return (
    <article>
      <PageHead title={name} />
      <h1 tabIndex={-1}>{name}</h1>
    </article>
  );
}

export const getServerSideProps = (async ({ params }) => ({
  props: { name: \`Lamp \${params?.id}\` },
})) satisfies GetServerSideProps;
`,
    },
    {
      kind: "write",
      file: "pages/api/auth/[...nextauth].ts",
      text: `import type { NextApiRequest, NextApiResponse } from "next";
import NextAuth from "next-auth";
import Credentials from "next-auth/providers/credentials";
import { runtimeConfig } from "@/lib/config/runtime";

const credentials = Credentials({
  credentials: { name: {}, password: {} },
  async authorize(given) {
    return given?.password === "right" ? { id: "1", name: given.name ?? "" } : null;
  },
});

export default function auth(req: NextApiRequest, res: NextApiResponse) {
  const secret = runtimeConfig().own.AUTH_SECRET;
  return NextAuth(req, res, { providers: [credentials], secret });
}
`,
    },
    {
      kind: "write",
      file: "public/lamp.svg",
      text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><path d="M0 0h2v2z" /></svg>\n',
    },
  ];
}

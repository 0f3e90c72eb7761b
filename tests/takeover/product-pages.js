/** @typedef {import("../support/recipes.js").Step} Step */

/**
 * The product's own pages, API route and code.
 *
 * @param {string} analytics origin of a script
 * @returns {Step[]}
 */
export function productPages(analytics) {
  return Object.entries({
    "lib/app/recipes.ts": `const names = new Map([
  ["goulash", "Goulash"],
  ["waffles", "Waffles"],
]);

/** The recipes whose name contains a text, by slug and name. */
export function findRecipes(text: string): [slug: string, name: string][] {
  return [...names].filter(([, name]) => name.toLowerCase().includes(text.toLowerCase()));
}

export function nameOfRecipe(slug: string | undefined): string | undefined {
  return names.get(slug ?? "");
}
`,
    "lib/app/session.ts": `import { createHmac, timingSafeEqual } from "node:crypto";
import { ownConfig } from "@/lib/base/config/own-config";

/** The cookie of a visitor who has signed in: the name, and its signature. */
export function sessionCookie(name: string): string {
  const value = \`\${encodeURIComponent(name)}.\${signatureOf(name)}\`;
  return \`session=\${value}; Path=/; HttpOnly; SameSite=Lax\`;
}

/** The name of the visitor, if the cookie is one that this server signed. */
export function signedInName(session = ""): string | undefined {
  const dot = session.lastIndexOf(".");
  const name = session.slice(0, dot);
  const [given, right] = [Buffer.from(session.slice(dot + 1)), Buffer.from(signatureOf(name))];
  return given.length === right.length && timingSafeEqual(given, right) ? name : undefined;
}

function signatureOf(name: string): string {
  const secret = ownConfig().SESSION_SECRET;
  return createHmac("sha256", secret).update(name).digest("base64url");
}
`,
    "pages/index.tsx": `import Image from "next/image";
import Link from "next/link";
import Script from "next/script";
import { productName } from "@/lib/site/messages/product-name";
import { href } from "@/lib/site/routes/routes";

export default function Home({ recipes }: { recipes: [string, string][] }) {
  return (
    <article className="mt-[7px]">
      <h1 tabIndex={-1}>{productName}</h1>
      <Image src="/lamp.svg" alt="A lamp" width={24} height={24} unoptimized />
      <ul>
        {recipes.map(([slug, name]) => (
          <li key={slug}>
            <Link href={href("/recipes/[slug]", { slug })}>{name}</Link>
          </li>
        ))}
      </ul>
      <button type="button" onClick={breakDown}>
        Break
      </button>
      <Script src="${analytics}/analytics.js" />
    </article>
  );
}

function breakDown(): never {
  throw new Error("The stove is broken");
}

export async function getStaticProps() {
  const { findRecipes } = await import("@/lib/app/recipes");
  return { props: { recipes: findRecipes("") } };
}
`,
    "pages/recipes/[slug].tsx": `import type { GetStaticPaths, GetStaticProps } from "next";
import { PageHead } from "@/components/page-head";
import { nameOfRecipe } from "@/lib/app/recipes";

export default function Recipe({ name }: { name: string }) {
  return (
    <article>
      <PageHead title={name} description={\`How to make \${name}\`} />
      <h1 tabIndex={-1}>{name}</h1>
    </article>
  );
}

export const getStaticPaths: GetStaticPaths = () => ({ paths: [], fallback: "blocking" });

export const getStaticProps = (async ({ params }) => {
  const name = nameOfRecipe(params?.slug);
  return name ? { props: { name }, revalidate: 60 } : { notFound: true, revalidate: 60 };
}) satisfies GetStaticProps<{ name: string }, { slug: string }>;
`,
    "pages/search.tsx": `import type { GetServerSideProps } from "next";
import Link from "next/link";
import { useMessages } from "@/lib/site/messages/messages";
import { href } from "@/lib/site/routes/routes";

interface Props {
  query: string;
  found: [slug: string, name: string][];
}

export default function Search({ query, found }: Props) {
  const { recipes, routes } = useMessages();
  const { title } = routes["/search"];
  return (
    <article>
      <h1 tabIndex={-1}>{title}</h1>
      <form>
        <label>
          {recipes.query} <input name="q" defaultValue={query} />
        </label>
        <button type="submit">{title}</button>
      </form>
      <ul>
        {found.map(([slug, name]) => (
          <li key={slug}>
            <Link href={href("/recipes/[slug]", { slug })}>{name}</Link>
          </li>
        ))}
      </ul>
    </article>
  );
}

export const getServerSideProps = (async ({ query }) => {
  const { findRecipes } = await import("@/lib/app/recipes");
  const text = String(query.q ?? "").slice(0, 80);
  return { props: { query: text, found: findRecipes(text) } };
}) satisfies GetServerSideProps<Props>;
`,
    "pages/sign-in.tsx": `import { basePath } from "@/lib/base/config/public";
import { useMessages } from "@/lib/site/messages/messages";

export default function SignIn() {
  const { recipes, routes } = useMessages();
  const { title } = routes["/sign-in"];
  return (
    <article>
      <h1 tabIndex={-1}>{title}</h1>
      <form method="post" action={\`\${basePath}/api/sign-in\`}>
        <label>
          {recipes.name} <input name="name" autoComplete="username" required />
        </label>
        <label>
          {recipes.password}{" "}
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button type="submit">{title}</button>
      </form>
    </article>
  );
}
`,
    "pages/account.tsx": `import type { GetServerSideProps } from "next";
import { signedInName } from "@/lib/app/session";
import { useMessages } from "@/lib/site/messages/messages";
import { localized } from "@/lib/site/routes/location";
import { href } from "@/lib/site/routes/routes";

export default function Account({ name }: { name: string }) {
  const { recipes, routes } = useMessages();
  return (
    <article>
      <h1 tabIndex={-1}>{routes["/account"].title}</h1>
      <p>
        {recipes.signedInAs} {name}
      </p>
    </article>
  );
}

export const getServerSideProps = (async ({ req, locale }) => {
  const name = signedInName(req.cookies.session);
  if (name) return { props: { name } };
  return { redirect: { destination: localized(href("/sign-in"), locale), permanent: false } };
}) satisfies GetServerSideProps<{ name: string }>;
`,
    "pages/api/sign-in.ts": `import { z } from "zod";
import { sessionCookie } from "@/lib/app/session";
import { basePath } from "@/lib/base/config/public";
import { href } from "@/lib/site/routes/routes";
import { apiRoute } from "@/lib/server/api-route";

const credentials = z.object({
  name: z.string().min(1).max(80),
  password: z.literal("only-for-tests"),
});

export default apiRoute({
  POST(req, res) {
    const given = credentials.safeParse(req.body);
    if (given.success) res.setHeader("Set-Cookie", sessionCookie(given.data.name));
    res.redirect(303, basePath + href(given.success ? "/account" : "/sign-in"));
  },
});
`,
  }).map(([file, text]) => ({ kind: "write", file, text }));
}

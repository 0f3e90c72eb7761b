import type { ProjectCopy } from "./takeover";

/*
 * What docs/make-it-yours.md says of each addition, in steps, so that a test can leave one out; and the README's
 * first example.
 */

type Steps = Record<string, (copy: ProjectCopy) => void>;

const languages = "lib/messages/locales.ts";
const messages = "lib/messages";

/** The additions, by the heading of their section, and the steps of each by name. */
export const additions = {
  "The README's example": {
    page: (copy) => copy.write("pages/orders/[id].tsx", order),
    product: (copy) => copy.write("lib/app/orders.ts", orders),
  },
  "A page with texts": {
    page: (copy) => copy.write("pages/about.tsx", about),
  },
  "A dynamic page": {
    page: (copy) => copy.copy("docs/examples/product.tsx", "pages/products/[id].tsx"),
  },
  "A page behind a login": {
    page: (copy) => copy.write("pages/account.tsx", account),
    expectation: (copy) =>
      copy.addLines(
        "tests/pages.ts",
        "ExpectedOfPage> = {",
        '  "/account": { status: 307, login: true },',
      ),
    "signing in": (copy) =>
      copy.replace("tests/support/sign-in.ts", /^export async function [\s\S]*\{\}$/, signIn),
  },
  "An API route": {
    route: (copy) => copy.copy("docs/examples/greeting.ts", "pages/api/greeting.ts"),
  },
  "A text": Object.fromEntries(
    ["en", "de", "ar"].map((language) => [
      language,
      (copy: ProjectCopy) =>
        copy.addLines(
          `${messages}/${language}.ts`,
          "  pages: {",
          '    "/about": {',
          '      title: "About us",',
          '      purpose: "Who we are.",',
          '      orders: { one: "{count} order since {day}", other: "{count} orders since {day}" },',
          "    },",
        ),
    ]),
  ),
  "A language": {
    texts: (copy) => copy.write(`${messages}/fr.ts`, copy.read(`${messages}/en.ts`)),
    language: (copy) =>
      copy.addLines(
        languages,
        '  de: { name: "Deutsch", direction: "ltr", texts: () => import("./de.ts") },',
        '  fr: { name: "Français", direction: "ltr", texts: () => import("./fr.ts") },',
      ),
  },
  "An environment variable": {
    variable: (copy) =>
      copy.addLines(
        "lib/config.ts",
        "const serverSchema = z.object({",
        '  GREETING: z.string().max(80).default("Hello").meta({ example: "Good day" }),',
      ),
    explanation: (copy) =>
      copy.addLines(".env.example", "# LOG_LEVEL=info", "# What the API says.", "# GREETING=Hello"),
  },
  "A policy source": {
    source: (copy) =>
      copy.replace(
        "lib/policy/policy.ts",
        "AllowedSources = {}",
        'AllowedSources = {\n  "img-src": ["https://images.example"],\n}',
      ),
  },
  "A private name in reports": Object.fromEntries(
    ["client", "server"].map((side) => [
      side,
      (copy: ProjectCopy) =>
        copy.addLines(
          `sentry.${side}.config.ts`,
          "Sentry.init({",
          '  allowedNames: ["user.email"],',
          '  privateNames: ["membership"],',
        ),
    ]),
  ),
} satisfies Record<string, Steps>;

/** Does what a section says. @param forgotten steps that a team leaves out */
export function add(
  copy: ProjectCopy,
  section: keyof typeof additions,
  forgotten: readonly string[] = [],
): void {
  const steps: Steps = additions[section];
  for (const name of forgotten) if (!steps[name]) throw new Error(`${section} has no step ${name}`);
  for (const [name, step] of Object.entries(steps)) if (!forgotten.includes(name)) step(copy);
}

/** A test says that the README has it. */
export const order = `import * as Sentry from "@signpost/sentry";
import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { loadOrder, payFor } from "@/lib/app/orders";

export const getServerSideProps = (async ({ params }) => ({
  // What throws here is reported, and the error page shows its reference.
  props: { order: await loadOrder(params?.id) },
})) satisfies GetServerSideProps;

export default function Order({ order }: InferGetServerSidePropsType<typeof getServerSideProps>) {
  // Works long before the SDK is loaded.
  const pay = () => payFor(order).catch(Sentry.captureException);
  return (
    <button type="button" onClick={pay}>
      Pay
    </button>
  );
}
`;

const orders = `export async function loadOrder(id: string | string[] | undefined) {
  if (id !== "1") throw new Error("There is no such order");
  return { id };
}

export async function payFor({ id }: { id: string }) {
  await fetch("/pay", { method: "POST", body: id });
}
`;

export const about = `import styles from "@/components/page.module.css";
import { useFormat } from "@/lib/messages/format";
import { usePageTexts } from "@/lib/messages/messages";

const first = new Date("2026-03-01");

export default function About() {
  const { title, orders } = usePageTexts("/about");
  const format = useFormat();
  return (
    <article className={styles.page}>
      <h1>{title}</h1>
      <p>{format(orders, { count: 1500, day: first })}</p>
    </article>
  );
}
`;

const account = `export default function Account() {
  return <h1>Account</h1>;
}

export async function getServerSideProps() {
  return { redirect: { destination: "/", permanent: false } };
}
`;

const signIn = `export async function signIn(context: BrowserContext, url: (path: string) => string) {
  const form = { name: "ada", password: "only-for-tests" };
  await context.request.post(url("/api/sign-in"), { form });
}`;

import { productPages } from "./product-pages.js";

/** @typedef {import("../support/recipes.js").Step} Step */

/** What the product removes of docs/make-it-yours.md, and its name, in the order of the first day. */
export const firstDay = [
  "The tests of this page",
  "The name, the header and the navigation",
  "The placeholders",
];

/** What it adds of docs/make-it-yours.md. */
export const login = "A page behind a login";

/** One of three languages goes: "remove its files and its lines only". */
/** @type {Step[]} */
export const withoutArabic = [
  { kind: "remove", file: "lib/site/messages/ar.ts" },
  { kind: "remove", file: "lib/site/messages/pages/ar.ts" },
  { kind: "drop", file: "lib/site/messages/locales.ts", line: "ar: …" },
  { kind: "drop", file: "lib/site/messages/catalogue.ts", line: "import { ar } …" },
  { kind: "drop", file: "lib/site/messages/catalogue.ts", line: "ar," },
];

/**
 * A library of recipes in English and German, with search, a cookie login, an image, Tailwind, and
 * an analytics script from another origin.
 *
 * @param {string} analytics origin of the script
 * @returns {Step[]} for a copy in which the above has been done
 */
export function product(analytics) {
  return [
    {
      kind: "edit",
      file: "lib/site/messages/product-name.ts",
      diff: `-export const productName = …
+export const productName = "Cookbook";
`,
    },
    {
      kind: "edit",
      file: "components/site-nav.tsx",
      diff: `-const menu = …
+const menu = ["/", "/search", "/account"] as const;
`,
    },
    {
      kind: "edit",
      file: "lib/site/routes/table.ts",
      diff: `-  "/": { rendering: "static" },
+  "/": { rendering: "static", budget: 120_000 },
+  "/search": { rendering: "server" },
+  "/recipes/[slug]": { rendering: "incremental", example: { slug: "goulash" } },
+  "/sign-in": { rendering: "static" },
@@
 export const apiRoutes = [
+  "/api/sign-in",
`,
    },
    {
      kind: "edit",
      file: "lib/site/policy/policy.ts",
      diff: `-export const allowedSources: AllowedSources = {};
+export const allowedSources: AllowedSources = {
+  "script-src": ["${analytics}"],
+  "connect-src": ["${analytics}"],
+};
`,
    },
    {
      kind: "edit",
      file: "lib/base/config/own.ts",
      diff: `-export const ownVariables = z.object({});
+export const ownVariables = z.object({
+  SESSION_SECRET: z.string().default("only-for-tests").meta({ secret: true }),
+});
`,
    },
    {
      kind: "edit",
      file: ".env.example",
      diff: ` # LOG_LEVEL=info
+# Signs the session's cookie.
+# SESSION_SECRET=only-for-tests
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
      file: "public/lamp.svg",
      text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><path d="M0 0h2v2z" /></svg>\n',
    },
    ...texts("en", {
      search: ["Search", "Find a recipe by its name.", "Name of the recipe"],
      signIn: ["Sign in", "With your name and password.", "Name", "Password"],
      account: ["Account", "What only you see.", "Signed in as"],
    }),
    ...texts("de", {
      search: ["Suche", "Ein Rezept nach seinem Namen finden.", "Name des Rezepts"],
      signIn: ["Anmelden", "Mit Name und Passwort.", "Name", "Passwort"],
      account: ["Konto", "Was nur Sie sehen.", "Angemeldet als"],
    }),
    ...productPages(analytics),
  ];
}

/**
 * The texts of its pages in one language.
 *
 * @param {string} locale
 * @param {Record<"search" | "signIn" | "account", string[]>} words
 * @returns {Step[]}
 */
function texts(locale, { search, signIn, account }) {
  const page = (/** @type {string} */ route, /** @type {string[]} */ [title, purpose]) =>
    `+    "${route}": {\n+      title: "${title}",\n+      purpose: "${purpose}",\n+    },\n`;
  return [
    {
      kind: "edit",
      file: `lib/site/messages/pages/${locale}.ts`,
      diff: `       purpose: "The start of everything.",
     },
${page("/search", search)}${page("/sign-in", signIn)}${page("/account", account)}   },
+  recipes: {
+    query: "${search[2]}",
+    name: "${signIn[2]}",
+    password: "${signIn[3]}",
+    signedInAs: "${account[2]}",
+  },
 };
`,
    },
  ];
}

/**
 * What a team breaks without noticing, each with what a failed test must say of it.
 *
 * @type {{ steps: Step[], message: RegExp }[]}
 */
export const plantedFaults = [
  {
    steps: [
      {
        kind: "edit",
        file: "pages/recipes/[slug].tsx",
        diff: `       <h1 tabIndex={-1}>{name}</h1>
+      <h1>{name}, step by step</h1>
`,
      },
    ],
    message: /\/recipes\/goulash must have one h1/,
  },
  {
    steps: [
      {
        kind: "edit",
        file: "pages/search.tsx",
        diff: `       <h1 tabIndex={-1}>{title}</h1>
+      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the text is constant. */}
+      <script dangerouslySetInnerHTML={{ __html: "document.title += '!'" }} />
`,
      },
    ],
    message: /script-src/,
  },
];

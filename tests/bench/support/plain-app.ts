import { config, type Files } from "./comparison-apps.ts";

const timed = "async () => ({ props: { at: new Date().toISOString() } })";
const onServer = `export const getServerSideProps = ${timed};`;

/** Pages by file, each with its data functions. */
const pages = {
  index: `export const getStaticProps = ${timed};`,
  static: `export const getStaticProps = ${timed};`,
  "incremental/[slug]": `export const getStaticPaths = () => ({ paths: [{ params: { slug: "alpha" } }], fallback: true });
export const getStaticProps = async () => ({ props: { at: new Date().toISOString() }, revalidate: 60 });`,
  server: onServer,
  "dynamic/[id]": onServer,
  "catch-all/[...path]": onServer,
  "optional/[[...path]]": "",
  slow: onServer,
  "failures/index": "",
  feedback: "",
};

const layout = `import Head from "next/head";
import Link from "next/link";
import { useRouter } from "next/router";
import { texts } from "./texts";

const links = ["/", "/static", "/incremental/alpha", "/server", "/dynamic/a-1", "/catch-all/one/two", "/optional", "/slow", "/failures", "/feedback"];

export function Layout({ at }) {
  const { asPath, pathname, query, locale, locales } = useRouter();
  const text = texts[locale];
  return (
    <>
      <Head>
        <title>{text.title + " " + pathname}</title>
        <meta name="description" content={text.description} />
      </Head>
      <nav aria-label={text.pages}>
        {links.map((href) => <Link key={href} href={href}>{href}</Link>)}
      </nav>
      <nav aria-label={text.languages}>
        {locales.map((to) => <Link key={to} href={asPath} locale={to} hrefLang={to}>{to}</Link>)}
      </nav>
      <main>
        <h1>{pathname}</h1>
        <dl>
          <dt>{text.path}</dt><dd>{asPath}</dd>
          <dt>{text.params}</dt><dd>{JSON.stringify(query)}</dd>
          <dt>{text.locale}</dt><dd>{locale}</dd>
          <dt>{text.rendered}</dt><dd>{at}</dd>
        </dl>
      </main>
    </>
  );
}
`;

const names = "title description pages languages path params locale rendered".split(" ");
const texts = {
  en: "Page|A page of the app|Pages|Languages|Path|Parameters|Language|Rendered",
  de: "Seite|Eine Seite der App|Seiten|Sprachen|Pfad|Parameter|Sprache|Erzeugt",
  ar: "صفحة|صفحة من التطبيق|الصفحات|اللغات|المسار|المعاملات|اللغة|وقت الإنشاء",
};
const catalogue = Object.entries(texts).map(([locale, words]) => [
  locale,
  Object.fromEntries(words.split("|").map((word, at) => [names[at], word])),
]);

/**
 * The same routes and languages as Signpost's, without any of its reporting or care: what one would
 * write with `next/link`, `next/head` and `useRouter`.
 */
export const plainApp: Files = {
  ...config({
    more: 'i18n: { locales: ["en", "de", "ar"], defaultLocale: "en", localeDetection: false },',
  }),
  "src/layout.jsx": layout,
  "src/texts.js": `export const texts = ${JSON.stringify(Object.fromEntries(catalogue))};\n`,
  ...Object.fromEntries(
    Object.entries(pages).map(([file, data]) => [
      `pages/${file}.jsx`,
      `import { Layout } from "${"../".repeat(file.split("/").length)}src/layout";

export default function Page({ at = "" }) {
  return <Layout at={at} />;
}

${data}
`,
    ]),
  ),
};

import { expect } from "playwright/test";
import type { ProjectCopy } from "./takeover";

const show = "export default function Page({ at }: { at: string }) {\n  return <p>{at}</p>;\n}\n";
const load = "{ props: { at: new Date().toISOString() } }";

/** A page for each way to write a data function, by its path. */
const pages = {
  function: `${show}\nexport async function getStaticProps() {\n  return ${load};\n}\n`,
  arrow: `${show}\nexport const getStaticProps = () => (${load});\n`,
  reexported: `export { getStaticProps } from "@/components/data";\n\n${show}`,
  wrapped: `import { getStaticProps as own, wrap } from "@/components/data";\n\n${show}\nexport const getStaticProps = wrap(own);\n`,
  private: `${show}\nexport function getServerSideProps() {\n  return ${load};\n}\n`,
};

const data = `import type { GetStaticProps } from "next";

export const getStaticProps = (() => (${load})) satisfies GetStaticProps;

export function wrap(own: GetStaticProps): GetStaticProps {
  return (context) => own(context);
}
`;

/** Adds all of them. */
export function addFreshnessPages(copy: ProjectCopy): void {
  copy.write("components/data.ts", data);
  for (const [name, text] of Object.entries(pages)) copy.write(`pages/fresh/${name}.tsx`, text);
}

/**
 * Checks how long browsers may keep the data of each of them.
 *
 * @param prefix what stands before a page's path in the URL of its data: `/_next/data/build/en`
 */
export async function expectFreshness(origin: string, prefix: string): Promise<void> {
  for (const name of Object.keys(pages)) {
    const { status, headers } = await fetch(`${origin}${prefix}/fresh/${name}.json`);
    expect([name, status, headers.get("cache-control")]).toEqual([
      name,
      200,
      name === "private"
        ? "private, no-cache, no-store, max-age=0, must-revalidate"
        : "private, max-age=30, stale-while-revalidate=270",
    ]);
    expect(headers.get("x-middleware-cache")).toBe(name === "private" ? null : "no-cache");
  }
}

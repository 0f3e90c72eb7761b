import { elementsOf } from "./markup.js";

/**
 * A page at `/server` with the same HTML as Signpost's: same data function, same elements, no
 * components.
 *
 * @param {string} origin of a running Signpost
 * @returns {Promise<import("./comparison-apps.js").Files>}
 */
export async function serverPage(origin) {
  const html = await (await fetch(`${origin}/server`)).text();
  const [, body = ""] = html.match(/<div id="__next">(.*?)<\/div><script/s) ?? [];
  const elements = elementsOf(body).replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, "renderedAt");
  if (!elements.includes("renderedAt")) throw new Error("Expected a page that tells its time.");
  return {
    "pages/server.jsx": `import { createElement as h, Fragment } from "react";

export default function Server({ renderedAt }) {
  return ${elements};
}

export const getServerSideProps = async () => ({
  props: { renderedAt: new Date().toISOString() },
});
`,
  };
}

/**
 * One page that says hello: the least that Next itself costs.
 *
 * @type {import("./comparison-apps.js").Files}
 */
export const bareApp = {
  "pages/index.jsx": `export default function Hello() {
  return <h1>Hello, world</h1>;
}
`,
};

/**
 * The same page with a style sheet of its own.
 *
 * @param {string} css
 * @returns {import("./comparison-apps.js").Files}
 */
export const styledApp = (css) => ({
  ...bareApp,
  "app.css": css,
  "pages/_app.jsx": `import "../app.css";

export default function App({ Component, pageProps }) {
  return <Component {...pageProps} />;
}
`,
});

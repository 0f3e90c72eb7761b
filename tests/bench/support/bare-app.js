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

// biome-ignore-all lint/style/noDefaultExport: a page
// biome-ignore-all lint/style/useFilenamingConvention: a dynamic page
import { note } from "../notes.js";

export default function Served({ id }) {
  return <p>{id}</p>;
}

export function getServerSideProps({ params: { id } }) {
  note("getServerSideProps");
  if (id === "throws") throw new Error("thrown by the page");
  return { props: { id } };
}

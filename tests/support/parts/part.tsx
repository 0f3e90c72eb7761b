// biome-ignore lint/style/noDefaultExport: what is loaded late has one
export default function Part() {
  return <p>The part is here</p>;
}

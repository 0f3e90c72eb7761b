// biome-ignore-all lint/style/noDefaultExport: a page
// biome-ignore-all lint/style/useFilenamingConvention: a dynamic page
export default function Incremental({ slug = "fallback" }) {
  return <p>{slug}</p>;
}

export function getStaticProps({ params: { slug } }) {
  return { props: { slug }, revalidate: 60 };
}

export function getStaticPaths() {
  return { paths: [{ params: { slug: "made" } }], fallback: true };
}

import { getImageProps } from "next/image";

/** What an image that would have to be converted comes to as the page is rendered in the build. */
// biome-ignore lint/style/noDefaultExport: a page has one
export default function Photo({ outcome }: { outcome: string }) {
  return <p>{outcome}</p>;
}

export function getStaticProps() {
  return { props: { outcome: outcomeOf("/photo.jpg") } };
}

function outcomeOf(src: string): string {
  try {
    return getImageProps({ src, alt: "", width: 24, height: 24 }).props.src;
  } catch (error) {
    return String(error);
  }
}

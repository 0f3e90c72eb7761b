/**
 * The loader of `next/image`, by `images.loaderFile` in next.config.js: it refuses every image that
 * would have to be converted, because the output has no converter.
 *
 * @throws Error that says what to do
 */
// biome-ignore lint/style/noDefaultExport: where Next looks for the loader
export default function refuseConversion({ src }: { src: string }): string {
  throw new Error(
    `next/image can't convert ${src}: the converter is left out of the output. Give the image the attribute "unoptimized"; or remove "images" and "outputFileTracingExcludes" from next.config.js, and the server converts images.`,
  );
}

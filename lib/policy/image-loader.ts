/**
 * The loader of `next/image`, by `images.loaderFile` in next.config.js: the output has no converter.
 * Development and the build refuse every image that would have to be converted. A page that no build
 * renders shows a visitor the image as it is.
 *
 * @throws Error that says what to do
 */
// biome-ignore lint/style/noDefaultExport: where Next looks for the loader
export default function refuseConversion({ src }: { src: string }): string {
  // biome-ignore-start lint/style/noProcessEnv: Next's own, and the build puts the first one in its place
  const isBuilding = process.env.NEXT_PHASE === "phase-production-build";
  if (process.env.NODE_ENV === "production" && !isBuilding) return src;
  // biome-ignore-end lint/style/noProcessEnv: Next's own
  throw new Error(
    `next/image can't convert ${src}: the converter is left out of the output. Give the image the attribute "unoptimized"; or remove "images" and "outputFileTracingExcludes" from next.config.js, and the server converts images.`,
  );
}

import type { GetServerSideProps } from "next";
import Script from "next/script";
import { useEffect, useState } from "react";

/** A page that uses other origins, in each way that docs/security.md has an example for. */
// biome-ignore lint/style/noDefaultExport: a page has one
export default function Strangers({ port }: { port: string }) {
  const at = (name: string, path: string) => `http://${name}.localhost:${port}${path}`;
  const [answer, setAnswer] = useState("");
  const api = at("api", "/answer");
  useEffect(() => {
    fetch(api).then(
      ({ status }) => setAnswer(`answered ${status}`),
      () => setAnswer("blocked"),
    );
  }, [api]);
  return (
    <article>
      <h1>Strangers</h1>
      <Script src={at("analytics", "/late.js")} />
      <Script src={at("analytics", "/lazy.js")} strategy="lazyOnload" />
      <Script src={at("analytics", "/early.js")} strategy="beforeInteractive" />
      <Script id="inline">{"document.documentElement.dataset.inline = 'ran'"}</Script>
      <link rel="stylesheet" href={at("styles", "/font.css")} />
      <p style={{ fontFamily: "Strange" }}>In a font of its own</p>
      {/* biome-ignore lint/performance/noImgElement: an image as it is */}
      <img src={at("images", "/image.svg")} alt="Strange" />
      <iframe src={at("video", "/video")} title="Video" />
      <output>{answer}</output>
      <form action="/api/checkout" method="post">
        <input type="hidden" name="to" value={at("payment", "/pay")} />
        <button type="submit">Pay</button>
      </form>
    </article>
  );
}

export const getServerSideProps: GetServerSideProps = async ({ query }) => ({
  props: { port: String(query.port) },
});

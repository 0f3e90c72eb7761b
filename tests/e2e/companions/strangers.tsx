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
  const [ran, setRan] = useState("");
  useEffect(() => {
    runBoth().then(setRan, (error) => setRan(`blocked: ${error}`));
  }, []);
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
      <output>{ran}</output>
      <form action="/api/checkout" method="post">
        <input type="hidden" name="to" value={at("payment", "/pay")} />
        <button type="submit">Pay</button>
      </form>
    </article>
  );
}

/** Compiles the smallest WebAssembly module, and waits for a worker that is made from a blob. */
async function runBoth(): Promise<string> {
  await WebAssembly.compile(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
  const worker = new Worker(URL.createObjectURL(new Blob(["postMessage('compiled, worked')"])));
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => reject(new Error("no worker"));
  });
}

export const getServerSideProps: GetServerSideProps = async ({ query }) => ({
  props: { port: String(query.port) },
});

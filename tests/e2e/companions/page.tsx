import dynamic from "next/dynamic";
import Head from "next/head";
import Image from "next/image";
import Link from "next/link";
import Script from "next/script";
import { RouterBadge } from "router-badge";
import look from "./look.module.css";

const Part = dynamic(() => import("@/tests/fixtures/part"), { ssr: false });

/** A page as a team might add it, with Next's own components and a package, and none of Signpost's. */
// biome-ignore lint/style/noDefaultExport: a page has one
export default function Companions() {
  return (
    <article>
      <Head>
        <title>Companions</title>
        <meta name="description" content="What a team brings" />
      </Head>
      <h1>Companions</h1>
      <RouterBadge />
      <p>
        <Link href="/companions?second=yes">The second</Link>{" "}
        <Link href="/parts">Without texts</Link> <a href="#end">To the end</a>
      </p>
      <p>
        <Link href="/incremental/alpha">Ahead</Link>{" "}
        <Link href="/static" prefetch={false}>
          Not ahead
        </Link>{" "}
        <a href="/static">Without the router</a> <Link href="/guarded">Guarded</Link>
      </p>
      <p id="look" className={look.look} style={{ marginBottom: 9 }} />
      <Image src="/icon.svg" alt="Signpost" width={24} height={24} unoptimized />
      <Part />
      <Script src="/companion.js" />
      <p id="end">The end</p>
    </article>
  );
}

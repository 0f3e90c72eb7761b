import * as Sentry from "@signpost/sentry";
import Link from "next/link";
import { useEffect, useState } from "react";

function fail() {
  throw new Error("click");
}

export default function Home() {
  const [reference, setReference] = useState<string>();
  useEffect(() => {
    const show = () => setReference(Sentry.lastEventId());
    addEventListener("error", show);
    if (location.search === "?early") {
      setTimeout(() => {
        throw new Error("early");
      });
    }
    return () => removeEventListener("error", show);
  }, []);
  return (
    <main>
      <output>{reference}</output>
      <button type="button" onClick={fail}>
        click
      </button>
      <button type="button" onClick={() => setReference(Sentry.captureMessage("message"))}>
        message
      </button>
      <Link href="/blog/one">one</Link>
    </main>
  );
}

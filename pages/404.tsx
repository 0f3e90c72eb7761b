import Link from "next/link";
import { useRouter } from "next/router";
import { useEffect, useState } from "react";
import { Title } from "@/components/page";
import { useMessages } from "@/lib/messages/messages";

export default function NotFound() {
  const { errors } = useMessages();
  const path = useAskedPath();
  return (
    <article>
      <Title>{errors.notFound}</Title>
      <h1 tabIndex={-1}>{errors.notFound}</h1>
      <p>
        {errors.notFoundAt} <code dir="ltr">{path}</code>
      </p>
      <p>{errors.notFoundAdvice}</p>
      <p>
        <Link href="/">{errors.home}</Link>
      </p>
    </article>
  );
}

/** The page is made once for all addresses, so only the browser knows the one it stands at. */
function useAskedPath(): string {
  const { asPath } = useRouter();
  const [path, setPath] = useState("");
  useEffect(() => setPath(asPath.replace(/[?#].*/, "")), [asPath]);
  return path;
}

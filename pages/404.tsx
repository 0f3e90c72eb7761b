import { useEffect, useState } from "react";
import { Link } from "@/components/link";
import { useMessages } from "@/lib/messages/messages";
import { useRoute } from "@/lib/navigation/route";

export default function NotFound() {
  const { errors } = useMessages();
  const path = useAskedPath();
  return (
    <article>
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
  const { asPath } = useRoute();
  const [path, setPath] = useState("");
  useEffect(() => setPath(asPath.replace(/[?#].*/, "")), [asPath]);
  return path;
}

import Link from "next/link";
import { useRouter } from "next/router";

export default function Server({ renderedAt }: { renderedAt: number }) {
  const router = useRouter();
  return (
    <>
      <h1>Server</h1>
      <p data-testid="rendered">{renderedAt}</p>
      <p data-testid="here">{router.asPath}</p>
      <button type="button" onClick={() => void router.replace(router.asPath)}>
        Renew
      </button>
      <button
        type="button"
        onClick={() => void router.push("?filter=on", undefined, { scroll: false })}
      >
        Filter
      </button>
      <Link href="/p/long" prefetch={false}>
        Link to long
      </Link>
    </>
  );
}

export const getServerSideProps = async () => ({ props: { renderedAt: performance.now() } });

// biome-ignore-all lint/style/noDefaultExport: a page
import Link from "next/link";
import { useRouter } from "next/router";
import styles from "./index.module.css";

export default function Index() {
  const { pathname } = useRouter();
  return (
    <button
      type="button"
      className={styles.page}
      onClick={() => import("../part.js").then(({ part }) => alert(part))}
    >
      {pathname} <Link href="/served">served</Link>
    </button>
  );
}

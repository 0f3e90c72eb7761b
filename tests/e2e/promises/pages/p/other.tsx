import Link from "next/link";
import styles from "./long.module.css";

export default function Other() {
  return (
    <>
      <h1>Other</h1>
      <Link href="/p/long" prefetch={false}>
        Link to long
      </Link>
      <p className={styles.far}>The end</p>
    </>
  );
}

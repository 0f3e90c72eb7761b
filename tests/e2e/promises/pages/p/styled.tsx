import styles from "./styled.module.css";

export default function Styled() {
  return <h1 className={styles.styled}>Styled</h1>;
}

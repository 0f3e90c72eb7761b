import { Sign } from "@/components/sign";
import styles from "./performance-list.module.css";
import type { RouteRow, ScaleRow, VitalCell } from "./route-row";
import type { InboxTexts } from "./texts";
import { VitalBar } from "./vital-bar";

interface Props {
  rows: RouteRow[];
  scale: ScaleRow[];
  texts: InboxTexts;
}

/** How fast each route is for those who visit it, and on the server. */
export function PerformanceList({ rows, scale, texts }: Props) {
  return (
    <>
      <section className={styles.scale}>
        <h2>{texts.scale}</h2>
        <p>{texts.scaleHelp}</p>
        <ul className={styles.vitals}>
          {scale.map(({ vital, good, poor }) => (
            <li key={vital}>
              <p>
                <b>{vital.toUpperCase()}</b>
              </p>
              <VitalBar />
              <p className={styles.limits} aria-hidden="true">
                <bdi>{good}</bdi>
                <bdi>{poor}</bdi>
              </p>
              <p className={styles.word}>
                {texts.vitals[vital]}
                <span className={styles.unseen}>
                  {`: ${texts.goodUpTo} ${good}, ${texts.poorOver} ${poor}`}
                </span>
              </p>
            </li>
          ))}
        </ul>
      </section>
      {rows.map((row) => (
        <section key={row.route} className={styles.route}>
          <header>
            <h2>
              <Sign pattern={row.route} />
            </h2>
            {row.visits !== undefined && (
              <p>
                {texts.visits}: {row.visits}
              </p>
            )}
          </header>
          {row.vitals.some(Boolean) && (
            <ul className={styles.vitals}>
              {row.vitals.map((cell, i) => {
                const vital = scale[i]?.vital ?? "";
                return (
                  <li key={vital}>
                    {cell ? <Cell cell={cell} texts={texts} /> : <Blank vital={vital} />}
                  </li>
                );
              })}
            </ul>
          )}
          {row.requests.length > 0 && (
            <div className={styles.server}>
              <span>{texts.onServer}</span>
              <dl className={styles.requests}>
                {row.requests.map(({ label, value, failing }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd className={failing ? styles.failing : undefined}>
                      <bdi>{value}</bdi>
                    </dd>
                  </div>
                ))}
              </dl>
            </div>
          )}
        </section>
      ))}
    </>
  );
}

function Cell({ cell, texts }: { cell: VitalCell; texts: InboxTexts }) {
  return (
    <>
      <p>
        <abbr title={texts.vitals[cell.vital]}>{cell.vital.toUpperCase()}</abbr>
        <bdi className={styles.value} title={`${texts.measured}: ${cell.measured}`}>
          {cell.value}
        </bdi>
      </p>
      <VitalBar position={cell.position} rating={cell.rating} />
      <p className={styles.word}>
        <span className={styles[cell.rating]}>{texts[cell.rating]}</span>
        <span className={styles.unseen}>{`${texts.measured}: ${cell.measured}`}</span>
      </p>
    </>
  );
}

function Blank({ vital }: { vital: string }) {
  return (
    <p>
      <span>{vital.toUpperCase()}</span>
      <span>–</span>
    </p>
  );
}

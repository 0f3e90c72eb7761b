import type { Vital } from "../model/measurements.ts";
import { formatCount, formatVital } from "../views/format.ts";
import { position, rate, thresholds } from "../views/ratings.ts";
import { texts } from "../views/texts.ts";
import { AxisBar } from "./figures.tsx";
import { Unseen } from "./values.tsx";

const { performance } = texts;
const vitals = Object.keys(thresholds) as Vital[];

interface Measured {
  vital: Vital;
  value: number;
  /** Number of visits, where it is of several. */
  count?: number;
}

/** Each web vital in words and as a bar of three parts: good, needs improvement and poor. */
export function Vitals({ values }: { values: Measured[] }) {
  return (
    <ul className="vitals">
      {vitals.map((vital) => {
        const found = values.find((one) => one.vital === vital);
        return (
          <li key={vital}>
            <p>
              <span title={performance.vitals[vital]}>{vital.toUpperCase()}</span>
              {found ? <b>{formatVital(vital, found.value)}</b> : <span>–</span>}
            </p>
            {found && <Rated {...found} />}
          </li>
        );
      })}
    </ul>
  );
}

function Rated({ vital, value, count }: Measured) {
  const rating = rate(vital, value);
  return (
    <>
      <AxisBar parts={3} bar={{ from: 0, to: position(vital, value), colour: rating }} />
      <p>
        <strong className={rating}>{performance.ratings[rating]}</strong>
        {count !== undefined && (
          <Unseen>
            {performance.measured}: {formatCount(count)}
          </Unseen>
        )}
      </p>
    </>
  );
}

/** How to read these bars. */
export function Scale() {
  return (
    <section className="panel">
      <h2>{performance.scale}</h2>
      <p className="note">{performance.scaleHelp}</p>
      <ul className="vitals">
        {vitals.map((vital) => {
          const good = formatVital(vital, thresholds[vital].good);
          const poor = formatVital(vital, thresholds[vital].poor);
          return (
            <li key={vital}>
              <b>{vital.toUpperCase()}</b>
              <AxisBar parts={3} />
              <p className="limits" aria-hidden="true">
                <bdi>{good}</bdi>
                <bdi>{poor}</bdi>
              </p>
              <p>
                {performance.vitals[vital]}
                <Unseen>
                  {`: ${performance.goodUpTo} ${good}, ${performance.poorOver} ${poor}`}
                </Unseen>
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

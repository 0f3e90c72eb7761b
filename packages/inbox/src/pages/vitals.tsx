import type { Vital } from "../model/measurements.ts";
import { formatCount, formatVital } from "../views/format.ts";
import { placeOnBar, rate, thresholds } from "../views/ratings.ts";
import { texts } from "../views/texts.ts";
import { AxisBar } from "./figures.tsx";
import { Unseen } from "./values.tsx";

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
              <span title={texts.vitals[vital]}>{vital.toUpperCase()}</span>
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
      <AxisBar parts={3} bar={{ from: 0, to: placeOnBar(vital, value), colour: rating }} />
      <p>
        <strong className={rating}>{texts.ratings[rating]}</strong>
        {count !== undefined && <Unseen>Measured: {formatCount(count)}</Unseen>}
      </p>
    </>
  );
}

/** How to read these bars. */
export function Scale() {
  return (
    <section className="panel">
      <h2>How to read the bars</h2>
      <p className="note">
        Each bar ends at the 75th percentile: three out of four visits were no worse. Its three
        parts are good, needs improvement and poor.
      </p>
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
                {texts.vitals[vital]}
                <Unseen>{`: good up to ${good}, poor over ${poor}`}</Unseen>
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

import { useEffect } from "react";

/** Fails as soon as it is shown, outside of React's own work. */
export default function FailingEffect() {
  useEffect(() => {
    throw new Error("An effect fails");
  }, []);
  return (
    <article>
      <h1>Effect</h1>
    </article>
  );
}

import { useEffect, useState } from "react";

/** Asks an API route while it loads, and again on a click. */
export default function Fetching() {
  const [answers, setAnswers] = useState(0);
  const ask = async (id: string) => {
    await (await fetch(`/api/compared/${id}/answering`)).json();
    setAnswers((count) => count + 1);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    void ask("early");
  }, []);
  return (
    <article>
      <h1>Fetching</h1>
      <button type="button" onClick={() => ask("late")}>
        Ask
      </button>
      <output>{answers}</output>
    </article>
  );
}

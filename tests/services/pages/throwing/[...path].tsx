import type { GetServerSideProps } from "next";

/** Throws or rejects what the last segment of its address names, when its button is pressed. */
export default function Throwing({ thing }: { thing: string }) {
  return (
    <article>
      <h1>{thing}</h1>
      <button type="button" onClick={() => setTimeout(fail, 0, thing)}>
        Fail
      </button>
    </article>
  );
}

function fail(thing: string): void {
  const [name, isRejected] = [thing.replace("rejected-", ""), thing.startsWith("rejected-")];
  const how = isRejected ? "rejected" : "thrown";
  const things: Record<string, unknown> = {
    error: new Error(`An error is ${how}`),
    text: `A text is ${how}`,
    object: { code: `E_${how.toUpperCase()}`, detail: "of an object" },
    null: null,
  };
  if (!isRejected) throw things[name];
  Promise.reject(things[name]);
}

export const getServerSideProps = (async ({ params }) => ({
  props: { thing: [params?.path].flat().at(-1) ?? "" },
})) satisfies GetServerSideProps<{ thing: string }>;

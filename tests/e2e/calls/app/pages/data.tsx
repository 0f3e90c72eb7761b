import * as Sentry from "@signpost/sentry";
import type { GetServerSideProps } from "next";
import { type Answer, answerOf } from "../answer";

export default function Data({ answer }: { answer: Answer }) {
  return <pre>{JSON.stringify(answer)}</pre>;
}

export const getServerSideProps = (async ({ query }) => {
  const answer = await answerOf(String(query.snippet));
  await Sentry.flush(5000);
  return { props: { answer } };
}) satisfies GetServerSideProps<{ answer: Answer }>;

import type { GetServerSideProps } from "next";
import { ReportList } from "@/components/inbox/report-list";
import type { ListView } from "@/lib/inbox/list-view";
import { answerList, type InboxProps } from "@/lib/inbox/page-answers";
import { localized } from "@/lib/routes/location";

export default function Reports(props: InboxProps<ListView>) {
  return <ReportList {...props} />;
}

export const getServerSideProps = (async ({ req, res, resolvedUrl, locale }) => {
  const request = { request: req, response: res, cookies: req.cookies, url: resolvedUrl, locale };
  const answer = await answerList(request);
  if (answer === "not-found") return { notFound: true };
  if ("props" in answer) return answer;
  return { redirect: { destination: localized(answer.redirectTo, locale), permanent: false } };
}) satisfies GetServerSideProps<InboxProps<ListView>>;

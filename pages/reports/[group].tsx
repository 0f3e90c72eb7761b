import type { GetServerSideProps } from "next";
import { ErrorReport } from "@/components/inbox/error-report";
import type { ErrorReportView } from "@/lib/inbox/error-report-view";
import { answerErrorReport, type InboxProps } from "@/lib/inbox/page-answers";
import { localized } from "@/lib/routes/location";

export default function Report(props: InboxProps<ErrorReportView>) {
  return <ErrorReport {...props} />;
}

export const getServerSideProps = (async ({ req, res, resolvedUrl, params, locale }) => {
  const request = { request: req, response: res, cookies: req.cookies, url: resolvedUrl, locale };
  const answer = await answerErrorReport(request, params?.group);
  if (answer === "not-found") return { notFound: true };
  if ("props" in answer) return answer;
  return { redirect: { destination: localized(answer.redirectTo, locale), permanent: false } };
}) satisfies GetServerSideProps<InboxProps<ErrorReportView>>;

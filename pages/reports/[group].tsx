import type { GetServerSideProps } from "next";
import { ErrorReport } from "@/components/inbox/error-report";
import { VisitReport } from "@/components/inbox/visit-report";
import { answerReport, type InboxProps, pageResult } from "@/lib/inbox/page-answers";
import type { ErrorView, VisitView } from "@/lib/inbox/views/page-data";

type Props = InboxProps<ErrorView> | InboxProps<VisitView>;

export default function Report(props: Props) {
  return isVisit(props) ? <VisitReport {...props} /> : <ErrorReport {...props} />;
}

function isVisit(props: InboxProps<{ kind: string }>): props is InboxProps<VisitView> {
  return props.view.kind === "visit";
}

export const getServerSideProps = (async ({ req, res, resolvedUrl, params, locale }) => {
  const request = { request: req, response: res, cookies: req.cookies, url: resolvedUrl };
  return pageResult(await answerReport(request, params?.group), locale);
}) satisfies GetServerSideProps<InboxProps<ErrorView | VisitView>>;

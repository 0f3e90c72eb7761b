import type { GetServerSideProps } from "next";
import { ReportList } from "@/components/inbox/report-list";
import { answerList, type InboxProps, pageResult } from "@/lib/inbox/page-answers";
import type { ListView } from "@/lib/inbox/views/page-data";

export default function Reports(props: InboxProps<ListView>) {
  return <ReportList {...props} />;
}

export const getServerSideProps = (async ({ req, res, resolvedUrl, locale }) => {
  const request = { request: req, response: res, cookies: req.cookies, url: resolvedUrl };
  return pageResult(await answerList(request), locale);
}) satisfies GetServerSideProps<InboxProps<ListView>>;

import type { GetServerSideProps } from "next";
import { type ListProps, listProps } from "@/components/inbox/list-props";
import { ReportList } from "@/components/inbox/report-list";

export default function Reports(props: ListProps) {
  return <ReportList {...props} />;
}

export const getServerSideProps: GetServerSideProps<ListProps> = listProps;

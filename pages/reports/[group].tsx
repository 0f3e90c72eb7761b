import type { GetServerSideProps } from "next";
import { type ErrorProps, errorProps } from "@/components/inbox/error-props";
import { ErrorReport } from "@/components/inbox/error-report";

export default function Report(props: ErrorProps) {
  return <ErrorReport {...props} />;
}

export const getServerSideProps: GetServerSideProps<ErrorProps> = errorProps;

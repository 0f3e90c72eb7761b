import { Page } from "@/components/page";
import { SignList } from "@/components/sign-list";

export default function Failures() {
  return (
    <Page>
      <SignList
        routes={[
          "/failures/server-data",
          "/failures/server-render",
          "/failures/client-render",
          "/failures/client-event",
          "/failures/client-promise",
        ]}
      />
    </Page>
  );
}

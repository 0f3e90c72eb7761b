import { FailingButton } from "@/components/failing-button";
import { Page } from "@/components/page";
import { useMessages } from "@/lib/messages/messages";

export default function ClientPromise() {
  return (
    <Page>
      <FailingButton fail={() => void rejectUnhandled()}>
        {useMessages().page.failPromise}
      </FailingButton>
    </Page>
  );
}

async function rejectUnhandled(): Promise<never> {
  throw new Error("Failed on purpose in a promise");
}

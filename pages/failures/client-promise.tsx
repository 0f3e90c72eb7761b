import { Page } from "@/components/page";
import { FailingButton } from "@/components/placeholders/failing-button";
import { useMessages } from "@/lib/messages/messages";

export default function ClientPromise() {
  return (
    <Page rendering="static">
      <FailingButton fail={() => void rejectUnhandled()}>
        {useMessages().page.failPromise}
      </FailingButton>
    </Page>
  );
}

async function rejectUnhandled(): Promise<never> {
  throw new Error("Failed on purpose in a promise");
}

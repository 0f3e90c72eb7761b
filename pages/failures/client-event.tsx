import { FailingButton } from "@/components/failing-button";
import { Page } from "@/components/page";
import { useMessages } from "@/lib/messages/messages";

export default function ClientEvent() {
  return (
    <Page>
      <FailingButton fail={failInHandler}>{useMessages().page.failEvent}</FailingButton>
    </Page>
  );
}

function failInHandler(): never {
  throw new Error("Failed on purpose in an event handler");
}

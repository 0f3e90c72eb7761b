import { Page } from "@/components/page";
import { FailingButton } from "@/components/placeholders/failing-button";
import { useMessages } from "@/lib/messages/messages";

export default function ClientEvent() {
  return (
    <Page rendering="static">
      <FailingButton fail={failInHandler}>{useMessages().page.failEvent}</FailingButton>
    </Page>
  );
}

function failInHandler(): never {
  throw new Error("Failed on purpose in an event handler");
}

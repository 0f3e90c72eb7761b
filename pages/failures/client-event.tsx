import { Page } from "@/components/page";
import { FailingButton } from "@/components/placeholders/failing-button";
import { usePageTexts } from "@/lib/messages/messages";

export default function ClientEvent() {
  const texts = usePageTexts("/failures/client-event");
  return (
    <Page rendering="static">
      <FailingButton failed={texts.failed} fail={failInHandler}>
        {texts.fail}
      </FailingButton>
    </Page>
  );
}

function failInHandler(): never {
  throw new Error("Failed on purpose in an event handler");
}

import { Page } from "@/components/page";
import { FailingButton } from "@/components/placeholders/failing-button";
import { usePageTexts } from "@/lib/messages/messages";

export default function ClientPromise() {
  const texts = usePageTexts("/failures/client-promise");
  return (
    <Page rendering="static">
      <FailingButton failed={texts.failed} fail={() => void rejectUnhandled()}>
        {texts.fail}
      </FailingButton>
    </Page>
  );
}

async function rejectUnhandled(): Promise<never> {
  throw new Error("Failed on purpose in a promise");
}

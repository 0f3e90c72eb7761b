import { useState } from "react";
import buttons from "@/components/button.module.css";
import { Page } from "@/components/page";
import { usePageTexts } from "@/lib/messages/messages";

export default function ClientRender() {
  const [failing, setFailing] = useState(false);
  const texts = usePageTexts("/failures/client-render");
  if (failing) throw new Error("Failed on purpose in a browser render");
  return (
    <Page rendering="static">
      <p>
        <button type="button" className={buttons.button} onClick={() => setFailing(true)}>
          {texts.fail}
        </button>
      </p>
    </Page>
  );
}

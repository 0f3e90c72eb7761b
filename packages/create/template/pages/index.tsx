import Link from "next/link";
import buttons from "@/components/button.module.css";
import { Page } from "@/components/page";
import { usePageTexts } from "@/lib/messages/messages";

export default function Home() {
  const { steps, example } = usePageTexts("/");
  return (
    <Page>
      <ul>
        {Object.values(steps).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
      <Link href="/notes" className={buttons.button}>
        {example}
      </Link>
    </Page>
  );
}

import Link from "next/link";
import buttons from "@/components/button.module.css";
import { Page } from "@/components/page";
import { useMessages } from "@/lib/messages/messages";

export default function Home() {
  const { home } = useMessages();
  return (
    <Page>
      <ul>
        {Object.values(home.steps).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
      <Link href="/notes" className={buttons.button}>
        {home.example}
      </Link>
    </Page>
  );
}

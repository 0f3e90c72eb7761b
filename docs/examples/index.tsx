import { usePageTexts } from "@/lib/messages/messages";

export default function Home() {
  const { title, purpose } = usePageTexts("/");
  return (
    <article>
      <h1>{title}</h1>
      <p>{purpose}</p>
    </article>
  );
}

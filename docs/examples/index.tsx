import { useMessages } from "@/lib/messages/messages";

export default function Home() {
  const { title, purpose } = useMessages().routes["/"];
  return (
    <article>
      <h1>{title}</h1>
      <p>{purpose}</p>
    </article>
  );
}

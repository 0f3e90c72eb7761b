import { ExampleLinks } from "@/components/example-links";
import { Page } from "@/components/page";
import { useMessages } from "@/lib/messages/messages";
import { href } from "@/lib/navigation/routes";

export default function Optional() {
  const { page } = useMessages();
  return (
    <Page>
      <noscript>
        <p>{page.needsScript}</p>
      </noscript>
      <ExampleLinks
        label={page.otherPaths}
        hrefs={[[], ["one"], ["one", "two"]].map((path) => href("/optional/[[...path]]", { path }))}
      />
    </Page>
  );
}

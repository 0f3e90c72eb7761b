import { Page } from "@/components/page";
import { ExampleLinks } from "@/components/placeholders/example-links";
import { useMessages } from "@/lib/messages/messages";

export default function Optional() {
  const { page } = useMessages();
  return (
    <Page rendering="static">
      <noscript>
        <p>{page.needsScript}</p>
      </noscript>
      <ExampleLinks
        label={page.otherPaths}
        hrefs={["/optional", "/optional/one", "/optional/one/two"]}
      />
    </Page>
  );
}

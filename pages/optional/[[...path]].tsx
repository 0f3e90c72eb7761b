import { Page } from "@/components/page";
import { ExampleLinks } from "@/components/placeholders/example-links";
import { usePageTexts } from "@/lib/messages/messages";

export default function Optional() {
  const texts = usePageTexts("/optional/[[...path]]");
  return (
    <Page rendering="static">
      <noscript>
        <p>{texts.needsScript}</p>
      </noscript>
      <ExampleLinks
        label={texts.otherPaths}
        hrefs={["/optional", "/optional/one", "/optional/one/two"]}
      />
    </Page>
  );
}

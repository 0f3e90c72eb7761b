import { Page } from "@/components/page";
import { placeholders } from "@/components/placeholders/routes";
import { SignList } from "@/components/placeholders/sign-list";

export default function Failures() {
  return (
    <Page rendering="static">
      <SignList pages={placeholders.filter(({ route }) => route.startsWith("/failures/"))} />
    </Page>
  );
}

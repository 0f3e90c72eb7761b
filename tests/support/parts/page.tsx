import dynamic from "next/dynamic";
import { type ComponentType, lazy, Suspense, useState } from "react";
import { Page } from "@/components/page";

const Dynamic = dynamic(() => import("@/tests/support/parts/part"), {
  loading: () => <p>On its way</p>,
});
const Lazy = lazy(() => import("@/tests/support/parts/part"));

/** A page as a team might add it: parts of it come only when they are asked for. */
// biome-ignore lint/style/noDefaultExport: a page has one
export default function Parts() {
  const [shown, setShown] = useState("");
  const [Imported, setImported] = useState<ComponentType>();

  async function show() {
    const { default: Part } = await import("@/tests/support/parts/part");
    setImported(() => Part);
  }

  return (
    <Page>
      <button type="button" onClick={() => setShown("dynamic")}>
        Show by next/dynamic
      </button>
      <button type="button" onClick={() => setShown("lazy")}>
        Show by React.lazy
      </button>
      <button type="button" onClick={show}>
        Show by import()
      </button>
      {shown === "dynamic" && <Dynamic />}
      <Suspense>{shown === "lazy" && <Lazy />}</Suspense>
      {Imported && <Imported />}
    </Page>
  );
}

import { PageHead } from "@/components/page-head";

export default function About() {
  return (
    <article>
      <PageHead title="About us" description="Who we are" />
      <h1 tabIndex={-1}>About us</h1>
    </article>
  );
}

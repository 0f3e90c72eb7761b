import type { GetStaticProps } from "next";
import Link from "next/link";

interface Props {
  value: number;
  draft: boolean;
}

export default function Incremental({ value, draft }: Props) {
  return (
    <>
      <h1>Incremental</h1>
      <p data-testid="value">{draft ? "draft" : `published ${value}`}</p>
      <Link href="/p/long" prefetch={false}>
        Link to long
      </Link>
    </>
  );
}

export const getStaticProps: GetStaticProps<Props> = async ({ draftMode = false }) => {
  const { value = 1 } = globalThis as { value?: number };
  return { props: { value, draft: draftMode } };
};

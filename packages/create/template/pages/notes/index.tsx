import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import Link from "next/link";
import { ApiForm } from "@/components/api-form";
import { Page } from "@/components/page";
import { notes } from "@/lib/app/notes";
import { useFormat } from "@/lib/messages/format";
import { usePageTexts } from "@/lib/messages/messages";

export default function Notes({ list }: InferGetServerSidePropsType<typeof getServerSideProps>) {
  const texts = usePageTexts("/notes");
  const format = useFormat();
  return (
    <Page>
      <ApiForm path="/api/notes" next="/notes" submit={texts.add} failed={texts.failed}>
        <label>
          {texts.text}
          <input name="text" required maxLength={80} autoComplete="off" />
        </label>
      </ApiForm>
      <h2>{format(texts.count, { count: list.length })}</h2>
      <ul>
        {list.map(({ id, text }) => (
          <li key={id}>
            <Link href={{ pathname: "/notes/[id]", query: { id } }} prefetch={false}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  );
}

export const getServerSideProps = (async () => ({
  props: { list: [...notes()] },
})) satisfies GetServerSideProps;

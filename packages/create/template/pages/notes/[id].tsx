import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { ApiForm } from "@/components/api-form";
import { Page } from "@/components/page";
import { findNote } from "@/lib/app/notes";
import { useFormat } from "@/lib/messages/format";
import { usePageTexts } from "@/lib/messages/messages";

export default function OneNote({ note }: InferGetServerSidePropsType<typeof getServerSideProps>) {
  const texts = usePageTexts("/notes/[id]");
  const format = useFormat();
  return (
    <Page title={note.text}>
      <p>{format(texts.written, { date: new Date(note.at) })}</p>
      <ApiForm
        path={`/api/notes/${note.id}`}
        next="/notes"
        submit={texts.remove}
        failed={texts.failed}
        quiet
      />
    </Page>
  );
}

export const getServerSideProps = (async ({ params }) => {
  const note = findNote(params?.id);
  return note ? { props: { note } } : { notFound: true };
}) satisfies GetServerSideProps;

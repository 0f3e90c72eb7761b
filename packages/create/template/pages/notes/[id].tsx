import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { useRouter } from "next/router";
import { ApiForm } from "@/components/api-form";
import { Page } from "@/components/page";
import { findNote } from "@/lib/app/notes";
import { format } from "@/lib/messages/format";
import { toLocale } from "@/lib/messages/locales";
import { useMessages } from "@/lib/messages/messages";

export default function OneNote({ note }: InferGetServerSidePropsType<typeof getServerSideProps>) {
  const messages = useMessages().notes;
  const locale = toLocale(useRouter().locale);
  return (
    <Page title={note.text}>
      <p>{format(locale, messages.written, { date: new Date(note.at) })}</p>
      <ApiForm path={`/api/notes/${note.id}`} next="/notes" submit={messages.remove} quiet />
    </Page>
  );
}

export const getServerSideProps = (async ({ params }) => {
  const note = findNote(params?.id);
  return note ? { props: { note } } : { notFound: true };
}) satisfies GetServerSideProps;

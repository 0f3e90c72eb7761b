import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import Link from "next/link";
import { useRouter } from "next/router";
import { ApiForm } from "@/components/api-form";
import { Page } from "@/components/page";
import { notes } from "@/lib/app/notes";
import { format } from "@/lib/messages/format";
import { toLocale } from "@/lib/messages/locales";
import { useMessages } from "@/lib/messages/messages";

export default function Notes({ list }: InferGetServerSidePropsType<typeof getServerSideProps>) {
  const messages = useMessages().notes;
  const locale = toLocale(useRouter().locale);
  return (
    <Page>
      <ApiForm path="/api/notes" next="/notes" submit={messages.add}>
        <label>
          {messages.text}
          <input name="text" required maxLength={80} autoComplete="off" />
        </label>
      </ApiForm>
      <h2>{format(locale, messages.count, { count: list.length })}</h2>
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

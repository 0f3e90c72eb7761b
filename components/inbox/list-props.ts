import type { GetServerSidePropsContext, GetServerSidePropsResult } from "next";
import { inbox } from "@/lib/inbox";
import { findGroup } from "@/lib/inbox/error-groups";
import { eventId } from "@/lib/inbox/fields";
import { defaultLocale, isLocale } from "@/lib/messages/locales.js";
import { errorHref } from "./error-href";
import { formatter } from "./format";
import { gate } from "./gate";
import { type ListView, listView, type ViewName, viewNames } from "./list-view";
import { definedOnly } from "./serializable";
import { type InboxTexts, inboxTexts } from "./texts";

export interface ListProps {
  texts: InboxTexts;
  view: ListView;
  /** The reference somebody looked for in vain, as typed. */
  sought?: { text: string; wellFormed: boolean };
  renderedAt: string;
}

/** Props of `/reports`: which view is shown is in the query, as is a reference looked for. */
export async function listProps(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<ListProps>> {
  const refused = await gate(context);
  if (refused) return refused;
  const { query, locale } = context;
  const language = isLocale(locale) ? locale : defaultLocale;
  const texts = inboxTexts[language];
  const contents = await inbox().look();

  const typed = typeof query.event === "string" ? query.event.trim() : "";
  const id = eventId(typed);
  const group = id && findGroup(contents.errors, id);
  if (group) {
    const prefix = language === defaultLocale ? "" : `/${language}`;
    return { redirect: { destination: prefix + errorHref(group.id, id), permanent: false } };
  }

  const now = Date.now();
  const name = viewNames.find((one) => one === query.view) ?? ("errors" satisfies ViewName);
  const page = /^\d{1,6}$/.test(String(query.page)) ? Number(query.page) : 1;
  return {
    props: definedOnly({
      texts,
      view: listView(contents, name, page, texts, formatter(language, texts, now)),
      sought: typed ? { text: typed.slice(0, 100), wellFormed: id !== undefined } : undefined,
      renderedAt: new Date(now).toISOString(),
    }),
  };
}

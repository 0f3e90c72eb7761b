import type { GetServerSidePropsContext, GetServerSidePropsResult } from "next";
import { inbox } from "@/lib/inbox";
import { findGroup } from "@/lib/inbox/error-groups";
import { readDetail } from "@/lib/inbox/event-detail";
import { eventId } from "@/lib/inbox/fields";
import { defaultLocale, isLocale } from "@/lib/messages/locales.js";
import { errorHref } from "./error-href";
import { type ErrorView, errorView } from "./error-view";
import { formatter } from "./format";
import { gate } from "./gate";
import { definedOnly } from "./serializable";
import { type InboxTexts, inboxTexts } from "./texts";

export interface ErrorProps {
  texts: InboxTexts;
  view: ErrorView;
  renderedAt: string;
}

/**
 * Props of `/reports/[group]`. An event's id in the group's place leads to its group; `?event=`
 * names the event whose report is shown, the latest one where it doesn't.
 */
export async function errorProps(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<ErrorProps>> {
  const refused = await gate(context);
  if (refused) return refused;
  const { params, query, locale } = context;
  const language = isLocale(locale) ? locale : defaultLocale;
  const contents = await inbox().look();

  const id = eventId(params?.group);
  const ofEvent = id && findGroup(contents.errors, id);
  if (ofEvent) {
    const prefix = language === defaultLocale ? "" : `/${language}`;
    return { redirect: { destination: prefix + errorHref(ofEvent.id, id), permanent: false } };
  }
  const group = contents.errors.find((one) => one.id === params?.group);
  if (!group) return { notFound: true };

  const wanted = eventId(query.event);
  const event = group.events.find((one) => one.eventId === wanted) ?? group.events[0];
  const report = await inbox().report(event.reportId);
  const texts = inboxTexts[language];
  const now = Date.now();
  return {
    props: definedOnly({
      texts,
      view: errorView(
        contents,
        group,
        event.eventId,
        report && readDetail(report, event.eventId),
        texts,
        formatter(language, texts, now),
      ),
      renderedAt: new Date(now).toISOString(),
    }),
  };
}

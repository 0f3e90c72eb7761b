import type { IncomingMessage, ServerResponse } from "node:http";
import { type DestinationContext, oncePerMinute } from "@signpost/relay";
import { errorResponses, respond, writeErrorResponse } from "@signpost/relay/http";
import { isOutboxError } from "@signpost/relay/store";
import { Access, type Asked } from "./access.ts";
import { type Asset, script, style } from "./assets.ts";
import { ErrorGroups } from "./model/error-groups.ts";
import { FiledFeedback } from "./model/feedback.ts";
import { FiledPerformance } from "./model/filed-performance.ts";
import { FiledReports } from "./model/filed-reports.ts";
import { answerList, answerReport, type Inbox } from "./page-answers.ts";
import { inboxPath } from "./views/hrefs.ts";
import type { Fault } from "./views/texts.ts";

interface RequestOptions {
  token: string;
  title?: string | undefined;
}

/**
 * The policy of every answer: pages run their one script and use their one style sheet, both files.
 * Source: https://www.w3.org/TR/CSP3/
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // With "no-referrer", browsers would name no origin with a form either.
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
};

/** @returns what answers requests to the inbox's path and below it */
export function answerRequests(
  context: DestinationContext,
  { token, title = "Reports" }: RequestOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { driver, isUsed, path, log } = context;
  // Where a service gets the reports, the path is the app's.
  if (!isUsed) return () => false;
  const inbox: Inbox = {
    ...context,
    access: new Access({ ...context, token }),
    sources: {
      reports: new FiledReports(driver),
      groups: new ErrorGroups(driver),
      performance: new FiledPerformance(driver),
      feedback: new FiledFeedback(driver),
    },
  };
  const basePath = path.slice(0, -inboxPath.length);
  const site = {
    basePath,
    title,
    style: `${path}/${style.name}`,
    script: `${path}/${script.name}`,
  };
  const logFailure = oncePerMinute(log);

  async function answer(asked: Asked): Promise<void> {
    const { request, response, url } = asked;
    const [pathname = ""] = url.split("?", 1);
    // A body that nobody reads would take memory for each of its chunks until the store has answered.
    if (request.method !== "POST") request.resume();
    const id = pathname.slice(inboxPath.length).split("/").filter(Boolean).join("/");
    const file = [style, script].find(({ name }) => name === id);
    if (file) return sendAsset(request, response, file);
    const found = await (id ? answerReport(asked, id, inbox) : answerList(asked, inbox));
    if (found === "answered") return;
    if (found === "denied" || found === "not-found") return sendFault(asked, 404, found);
    if ("redirectTo" in found) {
      const Location = basePath + found.redirectTo;
      return respond(request, response, {
        status: found.status ?? 307,
        headers: { Location, ...privately },
        body: "",
      });
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      return writeErrorResponse(request, response, errorResponses.wrongMethod("GET, HEAD, POST"));
    }
    const { pageDocument } = await documents();
    return send(asked, 200, await pageDocument(found, { ...site, url: basePath + url }));
  }

  async function sendFault(asked: Asked, status: number, fault: Fault): Promise<void> {
    const { faultDocument } = await documents();
    return send(asked, status, await faultDocument(fault, asked.url, site));
  }

  return (request, response) => {
    const asked = { request, response, url: (request.url ?? "").slice(basePath.length) };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(asked)
      .catch((error) => {
        // Why the store can't be read, the outbox has logged.
        const isAway = isOutboxError(error);
        if (!isAway) logFailure("error", "inbox page failed", { cause: String(error) });
        if (response.headersSent) response.destroy();
        else return isAway ? sendFault(asked, 503, "away") : sendFault(asked, 500, "failed");
      })
      .catch(() => response.destroy());
    return true;
  };
}

/** Loaded with the first page: React takes memory that a server with a service does not need. */
const documents = () => import("./pages/documents.tsx");

const privately = { "Cache-Control": "private, no-store" };

function send({ request, response }: Asked, status: number, html: string): Promise<void> {
  return respond(request, response, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      ...privately,
      ...(status === 503 && { "Retry-After": "10" }),
    },
    body: html,
  });
}

function sendAsset(
  request: IncomingMessage,
  response: ServerResponse,
  { type, body }: Asset,
): Promise<void> {
  const forever = "public, max-age=31536000, immutable";
  return respond(request, response, {
    status: 200,
    headers: { "Content-Type": type, "Cache-Control": forever },
    body,
  });
}

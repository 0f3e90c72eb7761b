import { type NextRequest, NextResponse } from "next/server";

export const config = { matcher: "/proxied" };

export function proxy(request: NextRequest) {
  // A copy of the URL keeps the base path.
  const url = request.nextUrl.clone();
  url.pathname = "/p/query";
  url.search = "?from=proxy";
  return NextResponse.rewrite(url);
}

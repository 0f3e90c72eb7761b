import { type NextRequest, NextResponse } from "next/server";

export const config = { matcher: ["/companions", "/guarded/:path*"] };

/** Runs before some pages, as a team's sign-in check does. */
export function proxy(request: NextRequest): NextResponse {
  if (request.nextUrl.pathname.startsWith("/guarded")) {
    return NextResponse.redirect(new URL("/static", request.url));
  }
  const response = NextResponse.next();
  response.headers.set("x-companion", "proxied");
  return response;
}

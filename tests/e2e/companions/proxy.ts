import { type NextRequest, NextResponse } from "next/server";

export const config = { matcher: ["/companions", "/guarded/:path*", "/elsewhere/:port"] };

/** Runs before some pages, as a team's sign-in check does. */
export function proxy(request: NextRequest): NextResponse {
  if (request.nextUrl.pathname.startsWith("/guarded")) {
    return NextResponse.redirect(new URL("/static", request.url));
  }
  const [, port] = request.nextUrl.pathname.split("/elsewhere/");
  if (port) return NextResponse.rewrite(new URL(`http://127.0.0.1:${port}/rewritten`));
  const response = NextResponse.next();
  response.headers.set("x-companion", "proxied");
  return response;
}

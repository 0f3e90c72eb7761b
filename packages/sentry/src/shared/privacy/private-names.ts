/**
 * The names of what is private in reports. Its value becomes `[Filtered]`, unless
 * an option of `init` allows the name. Shaped like Sentry's own list.
 * Source: https://docs.sentry.io/security-legal-pii/scrubbing/server-side-scrubbing/
 */

/** Private wherever they are in a name. Only letters and digits count: `X-Api-Key` is `xapikey`. */
const parts = [
  // Secrets.
  "password",
  "passwd",
  "passphrase",
  "secret",
  "apikey",
  "privatekey",
  "accesskey",
  "accesstoken",
  "authtoken",
  "refreshtoken",
  "idtoken",
  "credential",
  "authorization",
  "cookie",
  "csrf",
  "xsrf",
  "sessionid",
  "sessid",
  // Persons.
  "email",
  "username",
  "firstname",
  "lastname",
  "fullname",
  "phone",
  "creditcard",
  "cardnumber",
  // Addresses.
  "ipaddress",
  "clientip",
  "remoteaddr",
  "forwardedfor",
  "clientaddress",
  "clientport",
  "sourceaddress",
  "peeraddress",
  "peeraddr",
  "peerip",
  "peerport",
  "peername",
  // Requests.
  "useragent",
  "requestheader",
  "responseheader",
  "requestbody",
  "responsebody",
];

/** Private as one word of a name: `authMethod`, `x-auth` and `oauth2`, but not `author`. */
const words = ["auth", "oauth", "token", "bearer", "jwt", "pwd", "ssn", "iban", "cvv", "cvc"];

/** Private as a whole name. */
const whole = ["ip", "headers", "body", "env"];

/** Not private although a rule above fits: Sentry's own names, and what a visitor writes for an answer. */
const known = [
  "infer_ip",
  "infer_user_agent",
  "request_body_size",
  "response_body_size",
  "http.request.body.size",
  "http.response.body.size",
  "http.response.body.decoded_size",
  "feedback.contact_email",
];

/** Before the names in the detail of a `performance.measure`, which Sentry's `userTimingIntegration` takes. */
const measurePrefix = "sentry.browser.measure.detail.";

/** Characters of a name that is kept; of a longer one, the last twice as many are read. */
const maxLength = 200;
const maxKept = 2000;

/** Whether a value is private, by its name and the name of the object that holds it. */
export type IsPrivate = (name: string, above: string) => boolean;

/** Options of `init`: which names in reports are private, for every kind of report. */
export interface NameOptions {
  /**
   * Names whose values may be reported although they are held private.
   *
   * A name alone, such as `"email"`, is allowed wherever it is. With the name above it, such as
   * `"cart.email"`, it is allowed there only; `"user.email"` is that of `setUser` and of the attributes
   * of logs and metrics.
   */
  allowedNames?: readonly Lowercase<string>[];
  /**
   * Names whose values become `[Filtered]`, wherever they are in a name. Only letters and digits count:
   * `"membership"` is in `membershipId` and in `X-Membership`.
   */
  privateNames?: readonly Lowercase<string>[];
}

/** @param allowed and `added`: see `NameOptions` */
export function privateNames(
  allowed: readonly string[] = [],
  added: readonly string[] = [],
): IsPrivate {
  const exempt = new Set([...known, ...allowed]);
  // Without letters, a name would be in each.
  const everyPart = new RegExp([...parts, ...added.map(lettersOf)].filter(Boolean).join("|"));
  const read = (name: string) => readName(name, everyPart);
  // Reports have the same names again and again, and many below one name.
  const kept = new Map<string, boolean>();
  let [lastAbove, readAbove] = ["", read("")];
  return (name, above) => {
    const isKept = name.length <= maxLength && above.length <= maxLength;
    const pair = isKept ? `${above}\0${name}` : "";
    let result = isKept ? kept.get(pair) : undefined;
    if (result === undefined) {
      if (kept.size >= maxKept) kept.clear();
      if (above !== lastAbove) [lastAbove, readAbove] = [above, read(above)];
      const bare = name.startsWith(measurePrefix) ? name.slice(measurePrefix.length) : name;
      const own = read(bare);
      const lower = bare.toLowerCase();
      result =
        (own.isPrivate ||
          // `user: { name }` is as private as `user.name`.
          (!readAbove.isPrivate && everyPart.test(readAbove.letters + own.letters))) &&
        !exempt.has(lower) &&
        !exempt.has(`${above.toLowerCase()}.${lower}`);
      if (isKept) kept.set(pair, result);
    }
    return result;
  };
}

const aWord = new RegExp(`(?:^|[^a-z])(?:${words.join("|")})(?:$|[^a-z])`);

function readName(name: string, everyPart: RegExp): { isPrivate: boolean; letters: string } {
  const own = name
    .slice(-2 * maxLength)
    .replace(/[a-z\d](?=[A-Z])/g, "$&.")
    .toLowerCase();
  const letters = lettersOf(own);
  const isPrivate = whole.includes(own) || aWord.test(own) || everyPart.test(letters);
  return { isPrivate, letters };
}

function lettersOf(name: string): string {
  return name
    .normalize()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

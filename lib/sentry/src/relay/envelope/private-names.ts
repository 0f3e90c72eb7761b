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

/** Private as one word of a name: `authMethod` and `x-auth`, but not `author`. */
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

/** Before the names in the detail of a `performance.measure`, such as a span from before the SDK. */
const measurePrefix = "sentry.browser.measure.detail.";

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
  const everyPart = [...parts, ...added.map(lettersOf)];
  const looksPrivate = (name: string) => isListed(name, everyPart);
  // Reports have the same names again and again.
  const kept = new Map<string, boolean>();
  return (name, above) => {
    const path = `${above.slice(0, maxLength)}.${name.slice(0, maxLength)}`;
    let result = kept.get(path);
    if (result === undefined) {
      if (kept.size >= maxKept) kept.clear();
      const lower = name.toLowerCase().replace(measurePrefix, "");
      result =
        !exempt.has(lower) &&
        !exempt.has(`${above.toLowerCase()}.${lower}`) &&
        // `user: { name }` is as private as `user.name`.
        (looksPrivate(name.replace(measurePrefix, "")) ||
          (!looksPrivate(above) && looksPrivate(path)));
      kept.set(path, result);
    }
    return result;
  };
}

function isListed(name: string, everyPart: readonly string[]): boolean {
  const own = name
    .slice(-2 * maxLength)
    .replace(/[a-z\d](?=[A-Z])/g, "$&.")
    .toLowerCase();
  if (whole.includes(own)) return true;
  const ownWords = own.split(/[^a-z\d]+/);
  const letters = lettersOf(own);
  return (
    words.some((one) => ownWords.includes(one)) || everyPart.some((one) => letters.includes(one))
  );
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d]+/g, "");
}

/** The part of a scope of Sentry's that is used. */
interface ClientScope<Client> {
  getClient(): Client | undefined;
  setClient(client: Client | undefined): void;
}

/** What a second `Sentry.init` does, and what to do. */
export const otherClient =
  "Another copy of Sentry's SDK is started beside @signpost/sentry, by an init of one of Sentry's own packages. What it captures goes past this app's server: leave that init out, or import it from @signpost/sentry.";

/**
 * Tells, once, of a client that takes the place of this scope's own.
 *
 * @param scope the one that `init` of any copy of the same version sets its client on
 */
export function onOtherClient<Client>(scope: ClientScope<Client>, tell: () => void): void {
  const { setClient } = scope;
  const own = scope.getClient();
  let told = false;
  scope.setClient = (client) => {
    if (client && client !== own && !told) {
      told = true;
      tell();
    }
    setClient.call(scope, client);
  };
}

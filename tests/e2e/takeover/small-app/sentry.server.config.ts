import { inbox } from "@signpost/inbox";
import * as Sentry from "@signpost/sentry";

Sentry.init({ tracesSampleRate: 1, destination: inbox() });

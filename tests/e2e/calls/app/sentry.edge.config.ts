import * as Sentry from "@signpost/sentry";
import { options } from "./options";

Sentry.init({ dsn: process.env.SENTRY_DSN, ...options });

import * as Sentry from "@signpost/sentry";
import { options } from "./options";

Sentry.init({ dsn: "http://0123456789abcdef0123456789abcdef@service.example/42", ...options });

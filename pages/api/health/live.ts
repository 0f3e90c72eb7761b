import { apiRoute } from "@/lib/http/api";

/** 200 as long as the process serves at all. */
export default apiRoute({
  GET(_req, res) {
    res.setHeader("Cache-Control", "no-store");
    res.status(200).json({ status: "live" });
  },
});

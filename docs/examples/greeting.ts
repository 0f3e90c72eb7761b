import { apiRoute } from "@/lib/server/api-route";

export default apiRoute({
  GET(_req, res) {
    res.status(200).json({ greeting: "Hello" });
  },
});

import type { Pages } from "./en.ts";

export const pages: Pages = {
  "/": {
    title: "أهلًا بك",
    purpose: "هذه الصفحة لك. إليك من أين تبدأ.",
    steps: {
      page: "غيّر هذه الصفحة في pages/index.tsx ونصوصها في lib/messages.",
      colours: "الألوان والخط والمسافات في components/tokens.css.",
      menu: "القائمة في components/site-nav.tsx.",
    },
    example: "شاهد مثالًا",
  },
  "/notes": {
    title: "المذكرات",
    purpose: "مثال: قائمة ونموذج ومسار API بلغاتك.",
    text: "مذكرتك",
    add: "أضف",
    count: {
      zero: "لا مذكرات",
      one: "مذكرة واحدة",
      two: "مذكرتان",
      few: "{count} مذكرات",
      many: "{count} مذكرة",
      other: "{count} مذكرة",
    },
    failed: "تعذر الإرسال الآن. حاول مرة أخرى.",
  },
  "/notes/[id]": {
    title: "مذكرة",
    purpose: "مذكرة واحدة حسب المعامل في عنوانها.",
    remove: "احذف",
    written: "كُتبت في {date}",
    failed: "تعذر الإرسال الآن. حاول مرة أخرى.",
  },
};

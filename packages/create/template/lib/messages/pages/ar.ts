import type { PageMessages } from "./en";

export const pages: PageMessages = {
  routes: {
    "/": {
      title: "أهلًا بك",
      purpose: "هذه الصفحة لك. إليك من أين تبدأ.",
    },
    "/notes": {
      title: "الملاحظات",
      purpose: "مثال: قائمة ونموذج ومسار API بلغاتك.",
    },
    "/notes/[id]": {
      title: "ملاحظة",
      purpose: "ملاحظة واحدة حسب المعامل في عنوانها.",
    },
  },
  home: {
    steps: {
      page: "غيّر هذه الصفحة في pages/index.tsx ونصوصها في lib/messages/pages.",
      colours: "الألوان والخط والمسافات في components/tokens.css.",
      menu: "القائمة في components/site-nav.tsx.",
    },
    example: "شاهد مثالًا",
  },
  notes: {
    text: "ملاحظتك",
    add: "أضف",
    remove: "احذف",
    count: {
      zero: "لا ملاحظات",
      one: "ملاحظة واحدة",
      two: "ملاحظتان",
      few: "{count} ملاحظات",
      many: "{count} ملاحظة",
      other: "{count} ملاحظة",
    },
    written: "كُتبت في {date}",
  },
  form: {
    failed: "تعذر الإرسال الآن. حاول مرة أخرى.",
  },
};

import type { Messages } from "./en";
import { pages } from "./pages/ar";
import { productName } from "./product-name";

const { routes, ...groups } = pages;

export const ar: Messages = {
  shell: {
    skip: "انتقل إلى المحتوى",
    home: `${productName}، الصفحة الرئيسية`,
    routes: "كل المسارات",
    languages: "اللغة",
    lastNavigation: "آخر انتقال",
    about: `صفحة من ${productName}.`,
    loading: "جارٍ تحميل الصفحة",
  },
  facts: {
    heading: "بيانات المسار",
    pattern: "النمط",
    path: "العنوان",
    params: "المعاملات",
    locale: "اللغة",
    rendering: "طريقة الإنشاء",
    "rendered-at": "وقت الإنشاء",
  },
  rendering: {
    static: "أُنشئت مرة واحدة عند بناء التطبيق.",
    incremental: "أُنشئت مسبقًا وتُجدَّد مرة كل دقيقة عند الطلب.",
    server: "تُنشأ على الخادم لكل طلب.",
  },
  routes: {
    "/feedback": {
      title: "ملاحظات",
      purpose: "قل للفريق رأيك. تعمل مع JavaScript وبدونها.",
    },
    "/reports": {
      title: "التقارير",
      purpose: "الأخطاء والقياسات والملاحظات كما وصلت.",
    },
    "/reports/[group]": {
      title: "خطأ واحد",
      purpose: "خطأ واحد مع مكدّس الاستدعاءات وما سبقه وكل مرة ظهر فيها.",
    },
    ...routes,
  },
  errors: {
    applicationError: "خطأ في التطبيق",
    server: "فشل شيء على الخادم أثناء إنشاء هذه الصفحة.",
    browser: "فشل شيء في متصفحك أثناء عرض هذه الصفحة.",
    advice: "تم الإبلاغ عنه. يمكنك المحاولة مرة أخرى أو العودة إلى البداية.",
    tryAgain: "حاول مرة أخرى",
    home: "إلى البداية",
    reference: "المرجع",
    copy: "نسخ",
    copied: "نُسخ المرجع",
    copyFailed: "تعذر النسخ هنا. حدده بنفسك.",
    notFound: "الصفحة غير موجودة",
    notFoundAt: "لا يوجد شيء في",
    notFoundAdvice: "ربما كُتب العنوان خطأً، أو نُقلت الصفحة.",
    badRequest: "لا يمكن قراءة هذا العنوان",
    badRequestAdvice: "تحقق من العنوان، أو ابدأ من الصفحة الرئيسية.",
    tell: "اكتب إلى الفريق",
  },
  feedback: {
    heading: "ماذا حدث؟",
    message: "رسالتك",
    name: "الاسم (اختياري)",
    email: "البريد الإلكتروني (اختياري)",
    send: "إرسال",
    sending: "جارٍ الإرسال…",
    thanks: "شكرًا لك. وصلت رسالتك.",
    again: "اكتب رسالة أخرى",
    summary: "لا يمكن إرسال رسالتك بعد:",
    messageRequired: "اكتب رسالة.",
    messageTooLong: "اجعل الرسالة أقل من 4000 حرف.",
    nameTooLong: "اجعل الاسم أقل من 100 حرف.",
    emailWrong: "أدخل بريدًا إلكترونيًا مثل name@example.com، أو اتركه فارغًا.",
    failed: "تعذر إرسالها الآن. ما زال نصك هنا: حاول مرة أخرى.",
    tooMany: "رسائل كثيرة من عنوانك. حاول مرة أخرى بعد دقيقة.",
    busy: "يُرسل الكثير دفعة واحدة. ارجع إلى نصك، وأرسله مرة أخرى بعد دقيقة.",
    referenceWrong: "هذا المرجع ليس من عندنا. أعد تحميل الصفحة.",
    tooLarge: "الرسالة أكبر من أن تُقبل.",
    otherSite: "أُرسل النموذج من موقع آخر، فلم يُقبل.",
    unreadable: "تعذرت قراءة النموذج. أرسله من هذه الصفحة.",
    leaveEmpty: "اترك هذا الحقل فارغًا",
    note: "تصل رسالتك إلى الفريق مع المرجع. اترك بريدك فقط إن أردت جوابًا.",
  },
  ...groups,
};

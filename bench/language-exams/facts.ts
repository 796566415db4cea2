import type { LanguageCode } from "../../src/eval/rules/phrases.ts";

/**
 * What the conversations of the exams say that is asked about later: made up for this purpose, in German, Japanese and Arabic.
 * `A:` is said by the assistant, `T:` is printed by a tool; everything else is said by the user.
 */
export interface Fact {
  readonly type: string;
  readonly said: string;
  readonly question: string;
  /** What a right answer names, letter for letter as it was said. */
  readonly keys: readonly string[];
  /** What was said before and no longer holds. */
  readonly before?: string;
}

export interface ExamScript {
  readonly language: LanguageCode;
  readonly kind: "work" | "talk";
  readonly facts: readonly Fact[];
}

/** Type, what was said, question, keys, and what held before. */
type Row = readonly [type: string, said: string, question: string, keys: string, before?: string];

const script = (language: LanguageCode, kind: ExamScript["kind"], rows: readonly Row[]): ExamScript => ({
  language,
  kind,
  facts: rows.map(([type, said, question, keys, before]) => ({
    type,
    said,
    question,
    keys: keys.split("|"),
    ...(before !== undefined && { before }),
  })),
});

export const SCRIPTS: readonly ExamScript[] = [
  script("de", "work", [
    [
      "recall",
      "Es geht um die Schnittstelle zur Lohnbuchhaltung von Kestner & Söhne.",
      "Für welche Firma wird die Schnittstelle gebaut?",
      "Kestner & Söhne",
    ],
    [
      "recall",
      "Ausgeliefert wird am 17. Oktober, daran ist nicht zu rütteln.",
      "Wann wird ausgeliefert?",
      "17. Oktober",
    ],
    [
      "recall",
      "Unser Ansprechpartner beim Steuerbüro heißt Dr. Wiechert.",
      "Wie heißt der Ansprechpartner beim Steuerbüro?",
      "Wiechert",
    ],
    [
      "recall",
      "Die Exportdatei darf höchstens 48 Megabyte groß werden.",
      "Wie groß darf die Exportdatei höchstens werden?",
      "48 Megabyte",
    ],
    [
      "recall",
      "T: Fehler: Satzart 0815 unbekannt in Zeile 3412",
      "Welche Satzart war unbekannt, und in welcher Zeile?",
      "0815|3412",
    ],
    [
      "artifact",
      "A: Die Prüfung der Kontonummern steht jetzt in src/pruefung/konten.ts.",
      "In welcher Datei steht die Prüfung der Kontonummern?",
      "konten.ts",
    ],
    [
      "artifact",
      "A: Ich habe den Zeitplan in jobs/nachtlauf.yaml auf 2:40 Uhr gesetzt.",
      "In welcher Datei steht der Zeitplan, und auf welche Uhrzeit ist er gesetzt?",
      "nachtlauf.yaml|2:40",
    ],
    [
      "artifact",
      "A: Die neue Tabelle heißt lohn_abgleich und hat elf Spalten.",
      "Wie heißt die neue Tabelle?",
      "lohn_abgleich",
    ],
    [
      "artifact",
      "T: Zweig feature/beleg-import an Commit 7c41e9d",
      "Auf welchem Commit steht der Zweig für den Beleg-Import?",
      "7c41e9d",
    ],
    [
      "artifact",
      "A: Der Schalter dafür ist die Umgebungsvariable LOHN_TROCKENLAUF.",
      "Welche Umgebungsvariable schaltet den Trockenlauf ein?",
      "LOHN_TROCKENLAUF",
    ],
    [
      "decision",
      "Wir nehmen CSV und nicht XML, weil das Steuerbüro XML nur von Hand einlesen kann.",
      "Warum CSV und nicht XML?",
      "von Hand",
    ],
    [
      "decision",
      "Auf Rundungsdifferenzen bis zwei Cent antworten wir nur mit einer Warnung.",
      "Was geschieht bei Rundungsdifferenzen bis zwei Cent?",
      "Warnung",
    ],
    [
      "decision",
      "Die alte Schnittstelle bleibt noch ein halbes Jahr stehen, falls der Prüfer nachfragt.",
      "Wie lange bleibt die alte Schnittstelle noch, und weshalb?",
      "halbes Jahr|Prüfer",
    ],
    [
      "decision",
      "A: Die Wiederholung nach Fehlern habe ich auf drei Versuche begrenzt, weil die Bank danach sperrt.",
      "Auf wie viele Versuche ist die Wiederholung begrenzt, und warum?",
      "drei Versuche|sperrt",
    ],
    [
      "decision",
      "Für die Datumswerte nehmen wir doch die Bibliothek zeitlos.",
      "Welche Bibliothek wird für Datumswerte benutzt?",
      "zeitlos",
      "Für die Datumswerte nehmen wir die Bibliothek kalendarium.",
    ],
    [
      "continuation",
      "Als Nächstes müssen die Storno-Belege dran, die fehlen noch ganz.",
      "Was ist als Nächstes zu tun?",
      "Storno",
    ],
    [
      "continuation",
      "Offen ist, ob Minijobber eine eigene Satzart brauchen; Frau Ebeling klärt das.",
      "Welche Frage ist offen, und wer klärt sie?",
      "Minijobber|Ebeling",
    ],
    [
      "continuation",
      "T: 412 Tests, 2 fehlgeschlagen: umlaut-im-namen, schaltjahr",
      "Welche Tests sind fehlgeschlagen?",
      "umlaut-im-namen|schaltjahr",
    ],
    [
      "continuation",
      "Vor dem Einspielen will ich einen Probelauf mit den Daten vom März sehen.",
      "Was soll vor dem Einspielen geschehen?",
      "März",
    ],
    [
      "continuation",
      "Die Abnahme macht jetzt Herr Tjaden.",
      "Wer macht die Abnahme?",
      "Tjaden",
      "Die Abnahme macht Frau Lüdke.",
    ],
  ]),
  script("de", "talk", [
    [
      "fact",
      "Wir ziehen im Juni nach Bad Orlau, in ein altes Schulhaus.",
      "Wohin ziehen die beiden, und in was für ein Haus?",
      "Bad Orlau|Schulhaus",
    ],
    ["fact", "Meine Schwester Hedwig ist Orgelbauerin.", "Was ist die Schwester von Beruf?", "Orgelbauerin"],
    [
      "fact",
      "Unser Hund heißt Knickebein und ist auf einem Auge blind.",
      "Wie heißt der Hund?",
      "Knickebein",
    ],
    [
      "fact",
      "Auf Haselnüsse reagiere ich allergisch, auf Mandeln zum Glück nicht.",
      "Worauf reagiert die Person allergisch?",
      "Haselnüsse",
    ],
    [
      "fact",
      "Das Klavier ist von 1911 und wiegt 240 Kilo.",
      "Von wann ist das Klavier, und was wiegt es?",
      "1911|240",
    ],
    ["fact", "Der Makler, Herr Quast, wollte zuerst 3.900 Euro haben.", "Wie heißt der Makler?", "Quast"],
    [
      "fact",
      "Im Keller steht eine Druckerpresse, die niemand mehr bedienen kann.",
      "Was steht im Keller?",
      "Druckerpresse",
    ],
    [
      "preference",
      "Rote Wände kann ich nicht leiden, am liebsten habe ich Graugrün.",
      "Welche Wandfarbe ist der Person am liebsten?",
      "Graugrün",
    ],
    [
      "preference",
      "Zum Frühstück brauche ich Ruhe und Haferbrei, sonst nichts.",
      "Was braucht die Person zum Frühstück?",
      "Ruhe|Haferbrei",
    ],
    [
      "preference",
      "Schreib mir Preise immer mit Mehrwertsteuer.",
      "Wie sollen Preise angegeben werden?",
      "Mehrwertsteuer",
    ],
    [
      "preference",
      "Lange Autofahrten mag ich nicht, mehr als zwei Stunden am Stück gehen nicht.",
      "Wie lange darf eine Autofahrt am Stück höchstens dauern?",
      "zwei Stunden",
    ],
    ["time", "Der Notartermin ist am 9. Mai um 11:20 Uhr.", "Wann ist der Notartermin?", "9. Mai|11:20"],
    [
      "time",
      "Die Kündigung der Wohnung muss bis zum 28. Februar draußen sein.",
      "Bis wann muss die Wohnung gekündigt sein?",
      "28. Februar",
    ],
    [
      "time",
      "Der Dachdecker kommt in der 31. Kalenderwoche.",
      "In welcher Woche kommt der Dachdecker?",
      "31.",
    ],
    [
      "time",
      "Am 4. August feiern wir Einweihung, mit etwa dreißig Leuten.",
      "Wann ist die Einweihung, und mit wie vielen Leuten?",
      "4. August|dreißig",
    ],
    [
      "update",
      "Der Umzugswagen kommt jetzt von Börger, Hansen hat abgesagt.",
      "Von wem kommt der Umzugswagen?",
      "Börger",
      "Den Umzugswagen nehmen wir von Hansen.",
    ],
    [
      "update",
      "Für die Küche geben wir nun doch 11.500 Euro aus.",
      "Wie viel wird für die Küche ausgegeben?",
      "11.500",
      "Für die Küche haben wir 8.000 Euro.",
    ],
    [
      "update",
      "Mein Arbeitszimmer kommt unters Dach, das Erdgeschoss war zu laut.",
      "Wohin kommt das Arbeitszimmer?",
      "Dach",
      "Mein Arbeitszimmer soll ins Erdgeschoss.",
    ],
    [
      "fact",
      "A: Für den Hausschwamm empfehle ich das Institut Marwitz, weil es selbst keine Sanierungen verkauft.",
      "Welches Institut wurde wegen des Hausschwamms empfohlen, und warum?",
      "Marwitz|keine Sanierungen",
    ],
    [
      "fact",
      "A: Die Apfelsorte, die zu Ihrem Boden passt, ist Seestermüher Zitronenapfel.",
      "Welche Apfelsorte wurde empfohlen?",
      "Seestermüher",
    ],
  ]),
  script("ja", "work", [
    [
      "recall",
      "これは株式会社みなと冷蔵の在庫システムの作業です。",
      "どの会社の在庫システムですか。",
      "みなと冷蔵",
    ],
    ["recall", "納品日は十一月六日で、動かせません。", "納品日はいつですか。", "十一月六日"],
    ["recall", "倉庫側の担当者は三枝さんです。", "倉庫側の担当者は誰ですか。", "三枝"],
    [
      "recall",
      "一回の取り込みは二万八千件までにしてください。",
      "一回の取り込みは何件までですか。",
      "二万八千件",
    ],
    [
      "recall",
      "T: エラー: 棚番号 R-774 が重複しています (行 1953)",
      "重複していた棚番号と行番号は何ですか。",
      "R-774|1953",
    ],
    [
      "artifact",
      "A: 数量の検査は src/kensa/suuryou.ts に移しました。",
      "数量の検査はどのファイルにありますか。",
      "suuryou.ts",
    ],
    [
      "artifact",
      "A: 夜間処理の時刻は jobs/yakan.yaml で 3:15 にしました。",
      "夜間処理の時刻はどのファイルで何時に設定されましたか。",
      "yakan.yaml|3:15",
    ],
    [
      "artifact",
      "A: 新しい表の名前は tana_oroshi_log です。",
      "新しい表の名前は何ですか。",
      "tana_oroshi_log",
    ],
    [
      "artifact",
      "T: ブランチ feature/barcode は コミット b93f0a2 です",
      "バーコードのブランチはどのコミットですか。",
      "b93f0a2",
    ],
    [
      "artifact",
      "A: 試し運転は環境変数 ZAIKO_TAMESHI で切り替えます。",
      "試し運転を切り替える環境変数は何ですか。",
      "ZAIKO_TAMESHI",
    ],
    [
      "decision",
      "温度の記録は五分ごとにします。一分ごとだと電池が半年もたないからです。",
      "温度の記録が五分ごとなのはなぜですか。",
      "電池",
    ],
    [
      "decision",
      "重さの差が二百グラム以内なら警告だけにします。",
      "重さの差が二百グラム以内のときはどうしますか。",
      "警告",
    ],
    [
      "decision",
      "古い画面は監査のために来年三月まで残します。",
      "古い画面はいつまで、なぜ残しますか。",
      "来年三月|監査",
    ],
    [
      "decision",
      "A: 再試行は四回までにしました。五回目で運送会社の窓口が止まるためです。",
      "再試行は何回までで、理由は何ですか。",
      "四回|運送会社",
    ],
    [
      "decision",
      "やはり印刷には kawara を使います。",
      "印刷には何を使いますか。",
      "kawara",
      "印刷には sumire を使います。",
    ],
    ["continuation", "次は返品の伝票です。まだ何もできていません。", "次にすることは何ですか。", "返品"],
    [
      "continuation",
      "冷凍品に別の番号が要るかどうかは未定で、小野寺さんが調べています。",
      "未定なのは何で、誰が調べていますか。",
      "冷凍品|小野寺",
    ],
    [
      "continuation",
      "T: テスト 386 件、失敗 2 件: zenkaku-suuji, uruu-doshi",
      "失敗したテストはどれですか。",
      "zenkaku-suuji|uruu-doshi",
    ],
    ["continuation", "本番の前に七月のデータで一度試してください。", "本番の前に何をしますか。", "七月"],
    [
      "continuation",
      "検収は今後、早乙女さんが行います。",
      "検収は誰が行いますか。",
      "早乙女",
      "検収は古賀さんが行います。",
    ],
  ]),
  script("ja", "talk", [
    ["fact", "来年の四月に一家で鹿児島の指宿へ引っ越します。", "どこへ引っ越しますか。", "指宿"],
    ["fact", "姉の千鶴は船の設計をしています。", "姉の仕事は何ですか。", "船の設計"],
    ["fact", "猫の名前はごんべえで、左の耳が少し欠けています。", "猫の名前は何ですか。", "ごんべえ"],
    ["fact", "私はそばのアレルギーがありますが、うどんは平気です。", "何のアレルギーがありますか。", "そば"],
    [
      "fact",
      "祖父の時計は一九三四年のもので、重さは十二キロあります。",
      "祖父の時計は何年のもので、重さはどのくらいですか。",
      "一九三四年|十二キロ",
    ],
    ["fact", "不動産屋の担当は榊原さんです。", "不動産屋の担当は誰ですか。", "榊原"],
    ["fact", "物置には誰も使えない機織り機があります。", "物置には何がありますか。", "機織り機"],
    [
      "preference",
      "赤い壁は苦手で、薄い藍色がいちばん好きです。",
      "壁の色は何色がいちばん好きですか。",
      "藍色",
    ],
    ["preference", "朝は静かにお茶漬けを食べたいです。", "朝は何を食べたいですか。", "お茶漬け"],
    ["preference", "値段は税込みで書いてください。", "値段はどう書けばよいですか。", "税込み"],
    ["preference", "車に続けて乗れるのは九十分までです。", "車に続けて乗れるのは何分までですか。", "九十分"],
    ["time", "契約は五月二十一日の午前十時四十分です。", "契約はいつですか。", "五月二十一日|十時四十分"],
    [
      "time",
      "今の部屋の解約届は一月三十一日までに出します。",
      "解約届はいつまでに出しますか。",
      "一月三十一日",
    ],
    ["time", "屋根の職人さんは六月の第二週に来ます。", "屋根の職人はいつ来ますか。", "六月の第二週"],
    [
      "time",
      "お披露目は八月七日で、二十五人ぐらい呼びます。",
      "お披露目はいつで、何人ぐらい呼びますか。",
      "八月七日|二十五人",
    ],
    [
      "update",
      "引っ越し屋は結局つばめ運輸になりました。",
      "引っ越し屋はどこになりましたか。",
      "つばめ運輸",
      "引っ越し屋は大空便にします。",
    ],
    [
      "update",
      "台所の予算は百四十万円に増やしました。",
      "台所の予算はいくらですか。",
      "百四十万円",
      "台所の予算は九十万円です。",
    ],
    [
      "update",
      "仕事部屋は一階がうるさいので離れにします。",
      "仕事部屋はどこにしますか。",
      "離れ",
      "仕事部屋は一階にします。",
    ],
    [
      "fact",
      "A: 白蟻の検査なら、工事を売らない柊研究所をお勧めします。",
      "白蟻の検査に勧められたのはどこで、なぜですか。",
      "柊研究所|工事を売らない",
    ],
    [
      "fact",
      "A: その土には紅くるりという大根が合います。",
      "どの大根が土に合うと言われましたか。",
      "紅くるり",
    ],
  ]),
  script("ar", "work", [
    ["recall", "نعمل على نظام حجز المواعيد لعيادة النرجس.", "لأي عيادة نظام الحجز؟", "النرجس"],
    [
      "recall",
      "موعد التسليم هو التاسع عشر من أكتوبر ولا يمكن تأجيله.",
      "متى موعد التسليم؟",
      "التاسع عشر من أكتوبر",
    ],
    ["recall", "مسؤولة الاستقبال التي نتعامل معها اسمها هيفاء.", "ما اسم مسؤولة الاستقبال؟", "هيفاء"],
    ["recall", "لا يجوز أن يتجاوز ملف التصدير 36 ميغابايت.", "ما أقصى حجم لملف التصدير؟", "36 ميغابايت"],
    ["recall", "T: خطأ: رقم الغرفة G-58 مكرر في السطر 2207", "ما رقم الغرفة المكرر وفي أي سطر؟", "G-58|2207"],
    [
      "artifact",
      "A: نقلت فحص أرقام الهواتف إلى src/fahs/hawatif.ts.",
      "في أي ملف فحص أرقام الهواتف؟",
      "hawatif.ts",
    ],
    [
      "artifact",
      "A: ضبطت وقت المهمة الليلية في jobs/layli.yaml على 1:25.",
      "في أي ملف ضُبطت المهمة الليلية وعلى أي وقت؟",
      "layli.yaml|1:25",
    ],
    ["artifact", "A: اسم الجدول الجديد mawaid_log.", "ما اسم الجدول الجديد؟", "mawaid_log"],
    ["artifact", "T: الفرع feature/tadhkir عند الالتزام e52d8b1", "عند أي التزام فرع التذكير؟", "e52d8b1"],
    [
      "artifact",
      "A: يُشغَّل الوضع التجريبي بمتغير البيئة MAWAID_TAJRIBA.",
      "ما متغير البيئة الذي يشغّل الوضع التجريبي؟",
      "MAWAID_TAJRIBA",
    ],
    [
      "decision",
      "نرسل التذكير برسالة نصية لا بالبريد، لأن كبار السن لا يفتحون بريدهم.",
      "لماذا التذكير برسالة نصية؟",
      "كبار السن",
    ],
    [
      "decision",
      "إذا تأخر المريض أقل من عشر دقائق نكتفي بتنبيه.",
      "ماذا يحدث إذا تأخر المريض أقل من عشر دقائق؟",
      "بتنبيه",
    ],
    [
      "decision",
      "تبقى الشاشة القديمة حتى نهاية يونيو من أجل المفتش.",
      "حتى متى تبقى الشاشة القديمة ولماذا؟",
      "نهاية يونيو|المفتش",
    ],
    [
      "decision",
      "A: حددت إعادة المحاولة بخمس مرات لأن شركة الاتصالات تحظرنا بعدها.",
      "كم مرة تعاد المحاولة ولماذا؟",
      "خمس مرات|الاتصالات",
    ],
    [
      "decision",
      "سنستعمل مكتبة taqwim للتواريخ في النهاية.",
      "أي مكتبة تُستعمل للتواريخ؟",
      "taqwim",
      "سنستعمل مكتبة zaman للتواريخ.",
    ],
    ["continuation", "الخطوة التالية هي شاشة الإلغاء، فهي غير موجودة بعد.", "ما الخطوة التالية؟", "الإلغاء"],
    [
      "continuation",
      "لم يتقرر بعد هل تحتاج الطوارئ إلى رمز خاص، والدكتور مازن يتحقق من ذلك.",
      "ما الذي لم يتقرر ومن يتحقق منه؟",
      "الطوارئ|مازن",
    ],
    [
      "continuation",
      "T: 297 اختبارا، فشل 2: ism-murakkab, sana-kabisa",
      "أي اختبارات فشلت؟",
      "ism-murakkab|sana-kabisa",
    ],
    ["continuation", "قبل التشغيل أريد تجربة ببيانات شهر شعبان.", "ما المطلوب قبل التشغيل؟", "شعبان"],
    [
      "continuation",
      "الاستلام النهائي صار عند الأستاذ وائل.",
      "من يتولى الاستلام النهائي؟",
      "وائل",
      "الاستلام النهائي عند الأستاذة رباب.",
    ],
  ]),
  script("ar", "talk", [
    [
      "fact",
      "سننتقل في الربيع إلى مدينة طرطوس، إلى بيت كان مدرسة موسيقى.",
      "إلى أين سينتقلون وماذا كان البيت؟",
      "طرطوس|مدرسة موسيقى",
    ],
    ["fact", "أختي سلافة تصنع الأعواد.", "ماذا تعمل الأخت؟", "الأعواد"],
    ["fact", "اسم قطنا زنجبيل وهو لا يرى بعينه اليسرى.", "ما اسم القط؟", "زنجبيل"],
    ["fact", "عندي حساسية من السمسم، أما اللوز فلا بأس به.", "من أي شيء الحساسية؟", "السمسم"],
    ["fact", "الصندوق الخشبي من سنة 1926 ووزنه 85 كيلوغراما.", "من أي سنة الصندوق وكم وزنه؟", "1926|85"],
    ["fact", "السمسار اسمه أبو خليل وقد طلب في البداية مبلغا كبيرا.", "ما اسم السمسار؟", "أبو خليل"],
    ["fact", "في القبو نول قديم لا يعرف أحد كيف يعمل.", "ماذا يوجد في القبو؟", "نول"],
    [
      "preference",
      "لا أحب الجدران الحمراء، وأفضل لون عندي الفيروزي الفاتح.",
      "ما لون الجدران المفضل؟",
      "الفيروزي",
    ],
    ["preference", "في الفطور يكفيني الهدوء وصحن فول.", "ماذا يكفي في الفطور؟", "الهدوء|فول"],
    ["preference", "اكتب لي الأسعار بالليرة مع الضريبة.", "كيف تُكتب الأسعار؟", "الضريبة"],
    [
      "preference",
      "لا أتحمل ركوب السيارة أكثر من ساعة ونصف متواصلة.",
      "كم أقصى مدة متواصلة في السيارة؟",
      "ساعة ونصف",
    ],
    [
      "time",
      "موعد كاتب العدل في الثاني عشر من مايو الساعة 10:50.",
      "متى موعد كاتب العدل؟",
      "الثاني عشر من مايو|10:50",
    ],
    [
      "time",
      "يجب تسليم إشعار ترك الشقة قبل الخامس من فبراير.",
      "قبل متى يُسلَّم إشعار ترك الشقة؟",
      "الخامس من فبراير",
    ],
    [
      "time",
      "يأتي عامل السطح في الأسبوع الثالث من يوليو.",
      "متى يأتي عامل السطح؟",
      "الأسبوع الثالث من يوليو",
    ],
    [
      "time",
      "نحتفل بالبيت الجديد في السادس من أغسطس مع نحو أربعين شخصا.",
      "متى الاحتفال ومع كم شخص؟",
      "السادس من أغسطس|أربعين",
    ],
    [
      "update",
      "شاحنة النقل صارت من شركة الصقر بعد أن اعتذرت الأخرى.",
      "من أي شركة شاحنة النقل؟",
      "الصقر",
      "سنأخذ شاحنة النقل من شركة الهلال.",
    ],
    [
      "update",
      "قررنا أن ننفق على المطبخ 7400 في النهاية.",
      "كم ينفقون على المطبخ؟",
      "7400",
      "للمطبخ عندنا 5200.",
    ],
    [
      "update",
      "مكتبي سيكون في العلية لأن الطابق الأرضي كثير الضوضاء.",
      "أين سيكون المكتب؟",
      "العلية",
      "مكتبي سيكون في الطابق الأرضي.",
    ],
    [
      "fact",
      "A: لفحص الرطوبة أنصح بمكتب السرو لأنه لا يبيع أعمال الترميم.",
      "أي مكتب نُصح به لفحص الرطوبة ولماذا؟",
      "السرو|لا يبيع",
    ],
    ["fact", "A: صنف الزيتون المناسب لتربتكم هو الدعيبلي.", "ما صنف الزيتون المناسب؟", "الدعيبلي"],
  ]),
];

/**
 * What people say, in the languages that the rules suite speaks. `{…}` are slots that a seed fills, so that nothing can be fitted to
 * fixed sentences. None of it is taken from the lists of words by which precis finds rules, and precis imports nothing of it.
 */
export interface Phrases {
  /** Rules that say "always", "never", "without asking" or forbid something. */
  readonly marked: readonly string[];
  /** Rules that only state how things are to be. */
  readonly unmarked: readonly string[];
  /** A rule, and what takes its place later. */
  readonly changed: readonly (readonly [rule: string, change: string])[];
  /** A rule, and the words that take it back. */
  readonly revoked: readonly (readonly [rule: string, revocation: string])[];
  /** What stands before and behind a rule that is said in passing. */
  readonly passing: readonly (readonly [before: string, after: string])[];
  /** Background, of which long messages and answers are made. */
  readonly background: readonly string[];
  readonly requests: readonly string[];
  readonly answers: readonly string[];
}

const en: Phrases = {
  marked: [
    "Never push to {branch} without asking me first.",
    "Always run {command} before you say that something is finished.",
    "Don't touch anything below {folder}, it belongs to another team.",
    "From now on, every commit message has to name its ticket, such as {ticket}.",
  ],
  unmarked: [
    "Commit messages are in lower case here and have no full stop at the end.",
    "I want at most {number} sentences in each answer.",
    "Test files stand beside the code and end in {suffix}.",
    "{person} approves every change of {file} before it goes out.",
  ],
  changed: [
    ["Use {command} for the tests.", "Use {command2} for the tests after all, no longer {command}."],
    [
      "The report goes to {person} on Fridays.",
      "The report goes to {person2} on Mondays now, not to {person} any more.",
    ],
  ],
  revoked: [
    ["Don't change {file} until I say so.", "You may change {file} again, that rule no longer holds."],
    ["Ask me before each call of {command}.", "You needn't ask before {command} any more."],
  ],
  passing: [
    ["Could you look why {file2} is so slow?", "The customer complained again this morning."],
    ["Thanks, that looks better.", "Then go on with {file2}, please."],
  ],
  background: [
    "The service was written two years ago by people who have left since.",
    "It reads orders from a queue, checks them against {file2} and writes them into a table.",
    "On busy days about {number2}000 orders arrive within an hour.",
    "Last week the import stopped twice, and nobody saw why.",
    "{person2} has looked at the logs and found nothing but a timeout.",
    "The database runs on the same machine as the queue, which may be a mistake.",
  ],
  requests: [
    "Show me what {file2} does with empty lines.",
    "Why does the test of {word} fail on the second run?",
    "Rename {word} to {word2} in {file2}.",
    "How many rows does the table {word} have?",
    "Write a short note about {word} for {person2}.",
    "Please check whether {file2} still needs {word}.",
  ],
  answers: [
    "Done: {file2} now handles {word}.",
    "The cause was {word}: it was read before it was written.",
    "I looked through {file2}; {word} is used in {number} places.",
    "That is finished. The next step would be {word2}.",
  ],
};

const de: Phrases = {
  marked: [
    "Schieb nie etwas nach {branch}, ohne mich vorher zu fragen.",
    "Lass immer {command} laufen, bevor du sagst, dass etwas fertig ist.",
    "Rühr unter {folder} nichts an, das gehört einem anderen Team.",
    "Ab jetzt muss jede Commit-Nachricht ihr Ticket nennen, etwa {ticket}.",
  ],
  unmarked: [
    "Commit-Nachrichten sind bei uns kleingeschrieben und haben am Ende keinen Punkt.",
    "Ich möchte je Antwort höchstens {number} Sätze.",
    "Testdateien stehen neben dem Code und enden auf {suffix}.",
    "{person} gibt jede Änderung an {file} frei, bevor sie hinausgeht.",
  ],
  changed: [
    ["Nimm {command} für die Tests.", "Nimm für die Tests doch {command2}, nicht mehr {command}."],
    [
      "Der Bericht geht freitags an {person}.",
      "Der Bericht geht jetzt montags an {person2}, nicht mehr an {person}.",
    ],
  ],
  revoked: [
    ["Ändere {file} nicht, bis ich es sage.", "Du darfst {file} wieder ändern, das gilt nicht mehr."],
    ["Frag mich vor jedem Aufruf von {command}.", "Vor {command} brauchst du nicht mehr zu fragen."],
  ],
  passing: [
    ["Kannst du nachsehen, warum {file2} so langsam ist?", "Der Kunde hat sich heute früh wieder beschwert."],
    ["Danke, das sieht besser aus.", "Dann mach bitte mit {file2} weiter."],
  ],
  background: [
    "Der Dienst wurde vor zwei Jahren von Leuten geschrieben, die nicht mehr da sind.",
    "Er liest Bestellungen aus einer Warteschlange, prüft sie gegen {file2} und schreibt sie in eine Tabelle.",
    "An vollen Tagen kommen in einer Stunde etwa {number2}000 Bestellungen an.",
    "Letzte Woche blieb der Import zweimal stehen, und niemand hat gesehen, warum.",
    "{person2} hat die Protokolle angesehen und nur eine Zeitüberschreitung gefunden.",
    "Die Datenbank läuft auf derselben Maschine wie die Warteschlange, was ein Fehler sein mag.",
  ],
  requests: [
    "Zeig mir, was {file2} mit leeren Zeilen macht.",
    "Warum scheitert der Test von {word} beim zweiten Lauf?",
    "Benenne {word} in {file2} in {word2} um.",
    "Wie viele Zeilen hat die Tabelle {word}?",
    "Schreib eine kurze Notiz über {word} für {person2}.",
    "Prüf bitte, ob {file2} {word} noch braucht.",
  ],
  answers: [
    "Erledigt: {file2} kommt jetzt mit {word} zurecht.",
    "Die Ursache war {word}: Es wurde gelesen, bevor es geschrieben war.",
    "Ich habe {file2} durchgesehen; {word} kommt an {number} Stellen vor.",
    "Das ist fertig. Der nächste Schritt wäre {word2}.",
  ],
};

const fr: Phrases = {
  marked: [
    "Ne pousse jamais sur {branch} sans me demander d'abord.",
    "Lance toujours {command} avant de dire que quelque chose est terminé.",
    "Ne touche à rien sous {folder}, cela appartient à une autre équipe.",
    "Désormais, chaque message de commit doit citer son ticket, par exemple {ticket}.",
  ],
  unmarked: [
    "Chez nous, les messages de commit sont en minuscules et sans point final.",
    "Je veux {number} phrases au plus dans chaque réponse.",
    "Les fichiers de test se trouvent à côté du code et finissent par {suffix}.",
    "{person} valide chaque changement de {file} avant la mise en ligne.",
  ],
  changed: [
    ["Prends {command} pour les tests.", "Pour les tests, prends finalement {command2}, et plus {command}."],
    [
      "Le rapport part chez {person} le vendredi.",
      "Le rapport part maintenant chez {person2} le lundi, et plus chez {person}.",
    ],
  ],
  revoked: [
    [
      "Ne modifie pas {file} tant que je ne le dis pas.",
      "Tu peux de nouveau modifier {file}, cette règle ne vaut plus.",
    ],
    ["Demande-moi avant chaque appel de {command}.", "Tu n'as plus besoin de demander avant {command}."],
  ],
  passing: [
    ["Peux-tu regarder pourquoi {file2} est si lent ?", "Le client s'est encore plaint ce matin."],
    ["Merci, c'est mieux.", "Continue ensuite avec {file2}, s'il te plaît."],
  ],
  background: [
    "Le service a été écrit il y a deux ans par des gens qui sont partis depuis.",
    "Il lit des commandes dans une file, les compare à {file2} et les écrit dans une table.",
    "Les jours chargés, environ {number2}000 commandes arrivent en une heure.",
    "La semaine dernière, l'import s'est arrêté deux fois, et personne n'a vu pourquoi.",
    "{person2} a regardé les journaux et n'a trouvé qu'un délai dépassé.",
    "La base tourne sur la même machine que la file, ce qui est peut-être une erreur.",
  ],
  requests: [
    "Montre-moi ce que {file2} fait des lignes vides.",
    "Pourquoi le test de {word} échoue-t-il au deuxième passage ?",
    "Renomme {word} en {word2} dans {file2}.",
    "Combien de lignes a la table {word} ?",
    "Écris une courte note sur {word} pour {person2}.",
    "Vérifie si {file2} a encore besoin de {word}.",
  ],
  answers: [
    "C'est fait : {file2} gère maintenant {word}.",
    "La cause était {word} : il était lu avant d'être écrit.",
    "J'ai parcouru {file2} ; {word} apparaît à {number} endroits.",
    "C'est terminé. L'étape suivante serait {word2}.",
  ],
};

const es: Phrases = {
  marked: [
    "Nunca subas nada a {branch} sin preguntarme antes.",
    "Ejecuta siempre {command} antes de decir que algo está terminado.",
    "No toques nada dentro de {folder}, es de otro equipo.",
    "A partir de ahora, cada mensaje de commit tiene que nombrar su ticket, por ejemplo {ticket}.",
  ],
  unmarked: [
    "Aquí los mensajes de commit van en minúsculas y sin punto final.",
    "Quiero como mucho {number} frases en cada respuesta.",
    "Los archivos de prueba están junto al código y acaban en {suffix}.",
    "{person} aprueba cada cambio de {file} antes de que salga.",
  ],
  changed: [
    ["Usa {command} para las pruebas.", "Para las pruebas usa mejor {command2}, ya no {command}."],
    ["El informe va a {person} los viernes.", "El informe va ahora a {person2} los lunes, ya no a {person}."],
  ],
  revoked: [
    ["No cambies {file} hasta que yo lo diga.", "Ya puedes cambiar {file}, esa regla ya no vale."],
    ["Pregúntame antes de cada llamada a {command}.", "Ya no hace falta que preguntes antes de {command}."],
  ],
  passing: [
    ["¿Puedes mirar por qué {file2} va tan lento?", "El cliente se ha vuelto a quejar esta mañana."],
    ["Gracias, así está mejor.", "Sigue después con {file2}, por favor."],
  ],
  background: [
    "El servicio lo escribió hace dos años gente que ya no está.",
    "Lee pedidos de una cola, los compara con {file2} y los escribe en una tabla.",
    "En días de mucho trabajo llegan unos {number2}000 pedidos en una hora.",
    "La semana pasada la importación se paró dos veces y nadie vio por qué.",
    "{person2} ha mirado los registros y solo encontró un tiempo agotado.",
    "La base de datos corre en la misma máquina que la cola, lo que quizá sea un error.",
  ],
  requests: [
    "Enséñame qué hace {file2} con las líneas vacías.",
    "¿Por qué falla la prueba de {word} la segunda vez?",
    "Cambia el nombre de {word} a {word2} en {file2}.",
    "¿Cuántas filas tiene la tabla {word}?",
    "Escribe una nota corta sobre {word} para {person2}.",
    "Comprueba si {file2} todavía necesita {word}.",
  ],
  answers: [
    "Hecho: {file2} ya trata {word}.",
    "La causa era {word}: se leía antes de escribirse.",
    "He revisado {file2}; {word} aparece en {number} sitios.",
    "Está terminado. El siguiente paso sería {word2}.",
  ],
};

const pt: Phrases = {
  marked: [
    "Nunca envies nada para {branch} sem me perguntar antes.",
    "Corre sempre {command} antes de dizer que algo está pronto.",
    "Não mexas em nada dentro de {folder}, é de outra equipa.",
    "A partir de agora, cada mensagem de commit tem de indicar o ticket, por exemplo {ticket}.",
  ],
  unmarked: [
    "Aqui as mensagens de commit são em minúsculas e sem ponto final.",
    "Quero no máximo {number} frases em cada resposta.",
    "Os ficheiros de teste ficam ao lado do código e terminam em {suffix}.",
    "{person} aprova cada alteração de {file} antes de sair.",
  ],
  changed: [
    ["Usa {command} para os testes.", "Para os testes usa afinal {command2}, e já não {command}."],
    [
      "O relatório vai para {person} às sextas.",
      "O relatório vai agora para {person2} às segundas, e já não para {person}.",
    ],
  ],
  revoked: [
    ["Não alteres {file} até eu dizer.", "Já podes alterar {file}, essa regra deixou de valer."],
    ["Pergunta-me antes de cada chamada de {command}.", "Já não precisas de perguntar antes de {command}."],
  ],
  passing: [
    ["Podes ver porque é que {file2} está tão lento?", "O cliente voltou a queixar-se hoje de manhã."],
    ["Obrigado, assim está melhor.", "Depois continua com {file2}, por favor."],
  ],
  background: [
    "O serviço foi escrito há dois anos por pessoas que já saíram.",
    "Lê encomendas de uma fila, compara-as com {file2} e escreve-as numa tabela.",
    "Em dias cheios chegam cerca de {number2}000 encomendas numa hora.",
    "Na semana passada a importação parou duas vezes e ninguém viu porquê.",
    "{person2} viu os registos e só encontrou um tempo esgotado.",
    "A base de dados corre na mesma máquina que a fila, o que talvez seja um erro.",
  ],
  requests: [
    "Mostra-me o que {file2} faz com linhas vazias.",
    "Porque é que o teste de {word} falha na segunda vez?",
    "Muda o nome de {word} para {word2} em {file2}.",
    "Quantas linhas tem a tabela {word}?",
    "Escreve uma nota curta sobre {word} para {person2}.",
    "Verifica se {file2} ainda precisa de {word}.",
  ],
  answers: [
    "Feito: {file2} já trata {word}.",
    "A causa era {word}: era lido antes de ser escrito.",
    "Revi {file2}; {word} aparece em {number} sítios.",
    "Está pronto. O passo seguinte seria {word2}.",
  ],
};

const ru: Phrases = {
  marked: [
    "Никогда не отправляй ничего в {branch}, не спросив меня.",
    "Всегда запускай {command}, прежде чем говорить, что что-то готово.",
    "Не трогай ничего внутри {folder}, это принадлежит другой команде.",
    "С этого момента в каждом сообщении коммита должен стоять номер задачи, например {ticket}.",
  ],
  unmarked: [
    "Сообщения коммитов у нас пишутся строчными буквами и без точки в конце.",
    "В каждом ответе мне нужно не больше {number} предложений.",
    "Файлы тестов лежат рядом с кодом и заканчиваются на {suffix}.",
    "{person} одобряет каждое изменение {file} перед выпуском.",
  ],
  changed: [
    ["Для тестов используй {command}.", "Для тестов всё-таки используй {command2}, а не {command}."],
    [
      "Отчёт по пятницам получает {person}.",
      "Отчёт теперь по понедельникам получает {person2}, а не {person}.",
    ],
  ],
  revoked: [
    ["Не меняй {file}, пока я не скажу.", "Можешь снова менять {file}, это правило больше не действует."],
    ["Спрашивай меня перед каждым вызовом {command}.", "Перед {command} больше не нужно спрашивать."],
  ],
  passing: [
    ["Посмотри, почему {file2} работает так медленно?", "Клиент сегодня утром опять жаловался."],
    ["Спасибо, так лучше.", "Потом продолжай с {file2}, пожалуйста."],
  ],
  background: [
    "Сервис два года назад написали люди, которые с тех пор ушли.",
    "Он читает заказы из очереди, сверяет их с {file2} и пишет в таблицу.",
    "В загруженные дни за час приходит около {number2}000 заказов.",
    "На прошлой неделе импорт дважды останавливался, и никто не понял почему.",
    "{person2} смотрел журналы и нашёл только истёкшее время ожидания.",
    "База данных работает на той же машине, что и очередь, и это, возможно, ошибка.",
  ],
  requests: [
    "Покажи, что {file2} делает с пустыми строками.",
    "Почему тест {word} падает при втором запуске?",
    "Переименуй {word} в {word2} в файле {file2}.",
    "Сколько строк в таблице {word}?",
    "Напиши короткую заметку о {word}, её прочтёт {person2}.",
    "Проверь, нужен ли ещё {word} в {file2}.",
  ],
  answers: [
    "Готово: {file2} теперь справляется с {word}.",
    "Причина была в {word}: его читали раньше, чем записали.",
    "Я просмотрел {file2}; {word} встречается {number} раз.",
    "Это закончено. Следующим шагом был бы {word2}.",
  ],
};

const ar: Phrases = {
  marked: [
    "لا ترفع أي شيء إلى {branch} دون أن تسألني أولا.",
    "شغّل {command} دائما قبل أن تقول إن شيئا ما قد انتهى.",
    "لا تلمس أي شيء داخل {folder}، فهو يخص فريقا آخر.",
    "من الآن فصاعدا يجب أن تذكر كل رسالة كوميت رقم التذكرة، مثل {ticket}.",
  ],
  unmarked: [
    "رسائل الكوميت عندنا بالإنجليزية وبأحرف صغيرة وبلا نقطة في آخرها.",
    "أريد {number} جمل على الأكثر في كل إجابة.",
    "ملفات الاختبار توضع بجانب الكود وتنتهي بـ {suffix}.",
    "يوافق {person} على كل تعديل في {file} قبل نشره.",
  ],
  changed: [
    ["استعمل {command} للاختبارات.", "للاختبارات استعمل {command2} بدلا من {command}."],
    [
      "يذهب التقرير إلى {person} يوم الجمعة.",
      "يذهب التقرير الآن إلى {person2} يوم الاثنين، وليس إلى {person}.",
    ],
  ],
  revoked: [
    ["لا تغيّر {file} حتى أقول لك.", "يمكنك أن تغيّر {file} من جديد، فتلك القاعدة لم تعد سارية."],
    ["اسألني قبل كل تشغيل لـ {command}.", "لم تعد بحاجة إلى السؤال قبل {command}."],
  ],
  passing: [
    ["هل يمكنك أن ترى لماذا {file2} بطيء هكذا؟", "اشتكى العميل مرة أخرى هذا الصباح."],
    ["شكرا، هذا أفضل.", "ثم تابع مع {file2} من فضلك."],
  ],
  background: [
    "كتب هذه الخدمة قبل سنتين أشخاص غادروا منذ ذلك الحين.",
    "تقرأ الطلبات من صف، وتقارنها مع {file2}، ثم تكتبها في جدول.",
    "في الأيام المزدحمة يصل نحو {number2}000 طلب في الساعة.",
    "توقف الاستيراد مرتين في الأسبوع الماضي ولم يعرف أحد السبب.",
    "نظر {person2} في السجلات ولم يجد إلا انتهاء مهلة.",
    "تعمل قاعدة البيانات على الجهاز نفسه الذي يعمل عليه الصف، وقد يكون ذلك خطأ.",
  ],
  requests: [
    "أرني ماذا يفعل {file2} بالأسطر الفارغة.",
    "لماذا يفشل اختبار {word} في المرة الثانية؟",
    "غيّر اسم {word} إلى {word2} في {file2}.",
    "كم صفا في الجدول {word}؟",
    "اكتب ملاحظة قصيرة عن {word} من أجل {person2}.",
    "تحقق مما إذا كان {file2} ما زال يحتاج إلى {word}.",
  ],
  answers: [
    "تم: {file2} يتعامل الآن مع {word}.",
    "السبب كان {word}: كان يُقرأ قبل أن يُكتب.",
    "راجعت {file2}؛ يظهر {word} في {number} مواضع.",
    "انتهى ذلك. الخطوة التالية ستكون {word2}.",
  ],
};

const zh: Phrases = {
  marked: [
    "没有先问过我，绝不要推送到 {branch}。",
    "在说某件事完成之前，总是先运行 {command}。",
    "不要动 {folder} 下面的任何东西，那是别的团队的。",
    "从现在开始，每条提交说明都必须写上工单号，例如 {ticket}。",
  ],
  unmarked: [
    "我们这里的提交说明用小写英文，末尾没有句号。",
    "每个回答我最多要 {number} 句话。",
    "测试文件放在代码旁边，以 {suffix} 结尾。",
    "{file} 的每次修改上线前都由 {person} 批准。",
  ],
  changed: [
    ["测试用 {command}。", "测试还是改用 {command2}，不再用 {command}。"],
    ["报告每周五发给 {person}。", "报告现在每周一发给 {person2}，不再发给 {person}。"],
  ],
  revoked: [
    ["在我说可以之前，不要改 {file}。", "现在可以改 {file} 了，那条规则不再有效。"],
    ["每次调用 {command} 之前先问我。", "调用 {command} 之前不用再问了。"],
  ],
  passing: [
    ["能看看 {file2} 为什么这么慢吗？", "客户今天早上又抱怨了。"],
    ["谢谢，这样好多了。", "然后请继续处理 {file2}。"],
  ],
  background: [
    "这个服务是两年前由现在已经离开的人写的。",
    "它从队列里读取订单，与 {file2} 核对，然后写进表里。",
    "忙的时候一小时大约有 {number2}000 个订单。",
    "上周导入停了两次，没人知道原因。",
    "{person2} 看过日志，只发现了一次超时。",
    "数据库和队列跑在同一台机器上，这也许是个错误。",
  ],
  requests: [
    "给我看看 {file2} 怎么处理空行。",
    "为什么 {word} 的测试第二次运行会失败？",
    "把 {file2} 里的 {word} 改名为 {word2}。",
    "表 {word} 有多少行？",
    "给 {person2} 写一段关于 {word} 的简短说明。",
    "请检查 {file2} 是否还需要 {word}。",
  ],
  answers: [
    "完成了：{file2} 现在能处理 {word}。",
    "原因是 {word}：它在写入之前就被读取了。",
    "我看完了 {file2}；{word} 出现在 {number} 处。",
    "这件事做完了。下一步是 {word2}。",
  ],
};

const ja: Phrases = {
  marked: [
    "先に私に聞かずに {branch} へプッシュすることは絶対にしないでください。",
    "何かが終わったと言う前に、必ず {command} を実行してください。",
    "{folder} の下は別のチームのものなので、何も触らないでください。",
    "これからは、コミットメッセージに毎回 {ticket} のようなチケット番号を書いてください。",
  ],
  unmarked: [
    "うちのコミットメッセージは小文字の英語で、末尾に句点を付けません。",
    "回答は一回につき {number} 文までが希望です。",
    "テストファイルはコードの隣に置き、名前は {suffix} で終わります。",
    "{file} の変更は、公開前に {person} が承認します。",
  ],
  changed: [
    [
      "テストには {command} を使ってください。",
      "やはりテストには {command} ではなく {command2} を使ってください。",
    ],
    [
      "報告書は金曜日に {person} へ送ります。",
      "報告書は今後、月曜日に {person2} へ送り、{person} には送りません。",
    ],
  ],
  revoked: [
    [
      "私が言うまで {file} を変更しないでください。",
      "{file} はまた変更して構いません。あの決まりはもう無効です。",
    ],
    ["{command} を呼ぶ前に毎回私に聞いてください。", "{command} の前に聞く必要はもうありません。"],
  ],
  passing: [
    ["{file2} がなぜこんなに遅いのか見てもらえますか。", "今朝またお客さんから苦情が来ました。"],
    ["ありがとう、良くなりました。", "次は {file2} をお願いします。"],
  ],
  background: [
    "このサービスは二年前に、もう退職した人たちが書きました。",
    "キューから注文を読み、{file2} と照合して表に書き込みます。",
    "忙しい日には一時間に約 {number2}000 件の注文が届きます。",
    "先週は取り込みが二回止まり、理由は誰にも分かりませんでした。",
    "{person2} がログを見ましたが、タイムアウトしか見つかりませんでした。",
    "データベースはキューと同じマシンで動いていて、それが間違いかもしれません。",
  ],
  requests: [
    "{file2} が空行をどう扱うか見せてください。",
    "{word} のテストが二回目に失敗するのはなぜですか。",
    "{file2} の {word} を {word2} に改名してください。",
    "表 {word} には何行ありますか。",
    "{person2} 向けに {word} の短いメモを書いてください。",
    "{file2} がまだ {word} を必要としているか確認してください。",
  ],
  answers: [
    "完了しました。{file2} は {word} に対応しています。",
    "原因は {word} でした。書かれる前に読まれていました。",
    "{file2} を調べました。{word} は {number} か所にあります。",
    "終わりました。次の段階は {word2} です。",
  ],
};

/** The languages of the suite. A new one is a row here. */
export const PHRASES = { en, de, fr, es, pt, ru, ar, zh, ja } as const satisfies Record<string, Phrases>;

export type LanguageCode = keyof typeof PHRASES;
export const LANGUAGE_CODES = Object.keys(PHRASES) as LanguageCode[];
